import { type Document, isMap, isScalar } from "yaml";
import { type FieldProblem, SpillwayError } from "../kernel/errors.ts";
import { MAX_PROBLEMS, type PathProblem } from "./schema/problems.ts";

/** The name of a document in messages, and the page that lists its fields. */
export interface DocumentKind {
	name: string;
	page: string;
}

export const JOB_KIND: DocumentKind = { name: "job file", page: "docs/job-file.md" };

export function invalidDocument({ name, page }: DocumentKind, problems: readonly FieldProblem[]): SpillwayError {
	const fields = problems.slice(0, MAX_PROBLEMS).map(({ path, message, line, column }) => ({
		path,
		message,
		...(line === undefined || column === undefined ? {} : { line, column }),
	}));
	const [first] = fields;
	const details = first ? `${first.path || "document"}: ${first.message}` : "unreadable";
	const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
	return new SpillwayError("invalid_input", `The ${name} is invalid. ${details}${more}`, {
		fields,
		fix: `Correct these fields; ${page} lists every field.`,
	});
}

/**
 * Environment values that YAML would change: `1.10` is the number 1.1, `007` is 7 and `True` is true. The command
 * would receive different text.
 */
export function changedEnvValues(doc: Document, at: readonly PropertyKey[] = ["spec", "env"]): PathProblem[] {
	const env = doc.getIn(at, true);
	if (!isMap(env)) return [];
	return env.items.flatMap((pair) => {
		if (!isScalar(pair.key) || !isScalar(pair.value)) return [];
		const { value, source } = pair.value;
		if ((typeof value !== "number" && typeof value !== "boolean") || source === undefined || source === String(value)) return [];
		const key = String(pair.key.value);
		const message = `is read by YAML as ${String(value)}`;
		return [{ path: [...at, key].map(String).join("."), message, fix: `Quote it: "${source}"`, at: [...at, key], isKey: false }];
	});
}
