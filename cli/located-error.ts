import path from "node:path";
import { ApiError } from "./client.ts";
import { CliError } from "./exit.ts";

/** A server error with the position of its first problem in the file. */
export function locatedError(error: unknown, file: string): unknown {
	if (!(error instanceof ApiError)) return error;
	const fields = error.problem.fields ?? [];
	const [first] = fields;
	if (!first) return error;
	const [line, column] = [first["line"], first["column"]];
	const where = typeof line === "number" ? `:${line}:${String(column)}` : "";
	const more = fields.length > 1 ? ` (and ${fields.length - 1} more)` : "";
	return new CliError(error.exitCode, `${file === "-" ? "stdin" : path.basename(file)}${where}: ${first.path}: ${first.message}${more}`);
}
