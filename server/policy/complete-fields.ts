import { policyDocumentSchema } from "#server/domain/policy-schema.ts";
import { listFields } from "#server/domain/schema/list-fields.ts";

/** Completion text next to a field's name, and the start of its value. */
export interface FieldNote {
	/** Its type and unit. */
	type: string;
	meaning: string;
	start?: string;
	/** Fields that it cannot be combined with. */
	alone?: readonly string[];
}

/** The fields of a policy by their parent's path, without list indices: `spec.rules` has the fields of one rule. */
export const FIELDS: Readonly<Record<string, Readonly<Record<string, FieldNote>>>> = fieldNotes();

function fieldNotes(): Record<string, Record<string, FieldNote>> {
	const notes: Record<string, Record<string, FieldNote>> = {};
	for (const field of listFields(policyDocumentSchema)) {
		notes[field.parent] ??= {};
		const siblings = notes[field.parent] ?? {};
		siblings[field.name] = {
			type: field.type,
			meaning: field.description ?? "",
			...(typeof field.starts === "string" && { start: field.starts }),
			...(Array.isArray(field.excludes) && { alone: field.excludes as readonly string[] }),
		};
	}
	return notes;
}
