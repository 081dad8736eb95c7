import { z } from "zod";
import type { Schema } from "./field-meta.ts";
import { metaOf } from "./list-fields.ts";

/** Patterns, for editors, of texts that zod validates with code. */
const PATTERNS: Readonly<Record<string, string>> = {
	duration: "^(\\d+(\\.\\d+)?(ms|s|m|h|d))+$",
	timestamp: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?(Z|[+-]\\d\\d:\\d\\d)$",
};

/** Metadata that is not part of JSON Schema; `unit` stays, as `x-unit`. */
const INTERNAL = ["docs", "unit", "valueType", "defaultText", "starts", "excludes", "fix"] as const;

/**
 * JSON Schema (draft 2020-12) of the document in its written form, for editors and validators. `$id` is the path where
 * it is served.
 */
export function toJsonSchema(schema: Schema, id: string): Record<string, unknown> {
	const json = z.toJSONSchema(schema, {
		io: "input",
		unrepresentable: "any",
		override: ({ zodSchema, jsonSchema }) => {
			const { unit, valueType, examples } = metaOf(zodSchema);
			for (const key of INTERNAL) delete jsonSchema[key];
			if (unit !== undefined) jsonSchema["x-unit"] = unit;
			// zod omits the examples of parsed texts.
			if (Array.isArray(examples)) jsonSchema.examples = examples;
			const pattern = PATTERNS[valueType ?? ""];
			if (pattern !== undefined && jsonSchema.type === "string") jsonSchema.pattern = pattern;
		},
	});
	const { $schema, "~standard": _standard, ...rest } = json as Record<string, unknown>;
	return { $schema, $id: id, ...rest };
}
