import { readFile } from "node:fs/promises";
import path from "node:path";
import { JOB_LIMITS } from "#server/domain/job-schema.ts";
import { withAbsoluteFiles } from "./absolute-files.ts";
import { type Args, badInput } from "./args.ts";
import type { Io } from "./io.ts";

/**
 * The text of a pipeline file for the server to parse, so that problems keep their lines. Relative `file:` addresses
 * are made absolute.
 * @throws CliError when the file cannot be read, or when a path in its data does not exist
 */
export async function readPipelineText(file: string, io: Pick<Io, "cwd" | "readStdin">): Promise<string> {
	const text =
		file === "-" ? await io.readStdin(JOB_LIMITS.documentBytes) : await readFile(path.resolve(io.cwd, file), "utf8").catch(() => null);
	if (text === null) throw badInput(`-f ${file}: cannot be read.`);
	return withAbsoluteFiles(text, file === "-" ? io.cwd : path.dirname(path.resolve(io.cwd, file)), file);
}

/**
 * Values of `--param NAME=VALUE`.
 * @throws CliError for one without a name
 */
export function parametersOf(args: Args): Record<string, string> {
	return Object.fromEntries(
		args.list("param").map((text) => {
			const split = text.indexOf("=");
			if (split < 1) throw badInput(`--param: "${text}" is not NAME=VALUE.`);
			return [text.slice(0, split), text.slice(split + 1)];
		}),
	);
}
