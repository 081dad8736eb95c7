import type { ChangedField } from "#server/domain/suggestion.ts";
import { editYaml } from "./edit-yaml.ts";

/** The text of a job file with the fields of a suggestion set as it says; null while the text cannot be read. */
export function applySuggestion(text: string, fields: readonly ChangedField[]): string | null {
	return fields.reduce<string | null>((before, { path, value }) => before && editYaml(before, ["spec", ...path], value), text);
}
