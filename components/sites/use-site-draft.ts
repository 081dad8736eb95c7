import { useState } from "react";
import type { Inputs } from "#components/trpc/outputs.ts";
import { type SiteField, type SiteKind, type SiteSettings, settingOf, textOf } from "./form-values.ts";

export type Credentials = NonNullable<Inputs["site"]["add"]["credentials"]>;
export type CredentialSource = Credentials["kind"] | "kept";
export interface Draft {
	settings: Record<string, unknown>;
	credentials?: Credentials;
}

/** State of a site form and the values it represents. */
export interface SiteBoxes {
	texts: Record<string, string>;
	/** Settings without an own field, as JSON. */
	others: string;
	source: CredentialSource;
	secrets: Record<string, string>;
	/** Path or variable that holds the credentials. */
	reference: string;
}

export function useSiteDraft(kind: SiteKind, stored: SiteSettings | null) {
	const [boxes, setBoxes] = useState<SiteBoxes>(() => ({
		texts: Object.fromEntries(kind.fields.map((f) => [f.name, textOf(f, stored?.settings[f.name])])),
		others: othersOf(kind, stored),
		source: stored ? "kept" : kind.credentialFields.length > 0 ? "stored" : "chain",
		secrets: {},
		reference: "",
	}));
	/** Unparsable field values, by path. */
	const [unread, setUnread] = useState<Record<string, string>>({});
	const put = (changed: Partial<SiteBoxes>) => setBoxes((before) => ({ ...before, ...changed }));
	/** Null if a field does not parse; the error is shown at the field. */
	const read = (): Draft | null => {
		const { draft, problems } = draftOf(kind, boxes);
		setUnread(problems);
		return draft;
	};
	return { boxes, put, unread, read };
}

function draftOf(kind: SiteKind, boxes: SiteBoxes): { draft: Draft | null; problems: Record<string, string> } {
	const problems: Record<string, string> = {};
	const read = (field: Pick<SiteField, "input">, text: string, at: string): unknown => {
		try {
			return settingOf(field, text);
		} catch (error) {
			problems[at] = error instanceof Error ? error.message : String(error);
			return undefined;
		}
	};
	const settings = asRecord(read({ input: "json" }, boxes.others, "others"));
	for (const field of kind.fields) {
		const value = read(field, boxes.texts[field.name] ?? "", `settings.${field.name}`);
		if (value !== undefined) settings[field.name] = value;
	}
	const credentials = credentialsOf(kind, boxes, (field) => read(field, boxes.secrets[field.name] ?? "", `credentials.${field.name}`));
	return { draft: Object.keys(problems).length > 0 ? null : { settings, ...(credentials && { credentials }) }, problems };
}

function credentialsOf(kind: SiteKind, { source, reference }: SiteBoxes, read: (field: SiteField) => unknown): Credentials | null {
	switch (source) {
		case "kept":
			return null;
		case "chain":
			return { kind: "chain" };
		case "file":
			return { kind: "file", path: reference.trim() };
		case "environment":
			return { kind: "environment", name: reference.trim() };
		case "stored":
			return { kind: "stored", values: secretsOf(kind, read) };
	}
}

function secretsOf({ credentialFields }: SiteKind, read: (field: SiteField) => unknown): Record<string, unknown> {
	const [first] = credentialFields;
	// A key file is used as a whole.
	if (first?.input === "key_file") return asRecord(read(first));
	const values = credentialFields.map((field) => [field.name, read(field)] as const);
	return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function othersOf(kind: SiteKind, stored: SiteSettings | null): string {
	const rest = Object.entries(stored?.settings ?? {}).filter(([key]) => !kind.fields.some((f) => f.name === key));
	return rest.length === 0 ? "" : JSON.stringify(Object.fromEntries(rest));
}

function asRecord(value: unknown): Record<string, unknown> {
	return typeof value === "object" && value !== null ? { ...value } : {};
}
