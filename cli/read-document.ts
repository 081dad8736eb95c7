import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { readYaml } from "#server/domain/read-yaml.ts";
import { badInput } from "./args.ts";
import type { CommandContext } from "./command.ts";

/**
 * Reads the file of `-f FILE`, YAML or JSON; - reads stdin. `wanted` describes the expected contents in messages.
 * @throws the command's error for bad input when the file does not exist or contains something else
 */
export async function readDocument(
	ctx: CommandContext,
	options: { usage: string; wanted: string; bytesMax: number },
): Promise<Record<string, unknown>> {
	const file = ctx.args.text("file");
	if (file === undefined) throw badInput(`Name the file: ${options.usage}`);
	const text =
		file === "-" ? await ctx.io.readStdin(options.bytesMax) : await readFile(path.resolve(ctx.io.cwd, file), "utf8").catch(() => null);
	if (text === null) throw badInput(`${file} cannot be read.`);
	const { doc, problems } = readYaml(text);
	if (!doc) throw badInput(`${file} is neither YAML nor JSON: ${problems[0]?.message ?? "it cannot be read"}.`);
	const body = z.record(z.string(), z.unknown()).safeParse(doc.toJS());
	if (!body.success) throw badInput(`${file} must hold ${options.wanted}.`);
	return body.data;
}
