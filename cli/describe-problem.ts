import type { Problem } from "./client.ts";
import { flagOrField } from "./job-input.ts";

/** A problem document as a line: the invalid flag or field, with the server's message and what to do. Null without a field. */
export function describeProblem({ detail, fix, fields = [] }: Problem): string | null {
	const [first] = fields;
	if (!first || first.path === "") return null;
	const more = fields.length > 1 ? ` (and ${fields.length - 1} more)` : "";
	const named = { groupBy: "--by", from: "--from", to: "--to" }[first.path] ?? flagOrField(first.path);
	const what = detail.includes(first.message) ? "" : ` ${detail}`;
	return `${named}: ${first.message}${more}.${what}${fix === undefined ? "" : ` ${fix}`}`.replace(/\.\./g, ".");
}
