import type { ChangedField } from "#server/domain/suggestion.ts";
import { editYaml } from "./edit-yaml.ts";

/** Sets a suggestion's fields in the job file text; null if it does not parse. */
export function applySuggestion(text: string, fields: readonly ChangedField[]): string | null {
	return fields.reduce<string | null>((before, { path, value }) => before && editYaml(before, ["spec", ...path], value), text);
}
