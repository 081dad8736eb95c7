import { type Document, isMap, isScalar } from "yaml";
import { type FieldProblem, SpillwayError } from "../kernel/errors.ts";
import { MAX_PROBLEMS, type PathProblem } from "./schema/problems.ts";

export function invalidJob(problems: readonly FieldProblem[]): SpillwayError {
	const fields = problems.slice(0, MAX_PROBLEMS).map(({ path, message, line, column }) => ({
		path,
		message,
		...(line === undefined || column === undefined ? {} : { line, column }),
	}));
	const [first] = fields;
	const details = first ? `${first.path || "document"}: ${first.message}` : "unreadable";
	const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
	return new SpillwayError("invalid_input", `The job file is invalid. ${details}${more}`, {
		fields,
		fix: "Correct these fields; docs/job-file.md lists every field.",
	});
}

/**
 * Environment values that YAML would change: `1.10` is the number 1.1, `007` is 7 and `True` is true. The command would receive
 * different text.
 */
export function changedEnvValues(doc: Document): PathProblem[] {
	const env = doc.getIn(["spec", "env"], true);
	if (!isMap(env)) return [];
	return env.items.flatMap((pair) => {
		if (!isScalar(pair.key) || !isScalar(pair.value)) return [];
		const { value, source } = pair.value;
		if ((typeof value !== "number" && typeof value !== "boolean") || source === undefined || source === String(value)) return [];
		const key = String(pair.key.value);
		const message = `is read by YAML as ${String(value)}`;
		return [{ path: `spec.env.${key}`, message, fix: `Quote it: "${source}"`, at: ["spec", "env", key], isKey: false }];
	});
}
