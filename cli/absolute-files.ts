import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { isPair, isScalar, type Pair, visit } from "yaml";
import { readYaml } from "#server/domain/read-yaml.ts";
import { badInput } from "./args.ts";

/** A place that is filled in later has no folder yet. */
const RELATIVE = /^file:(?!\/\/|\$\{\{)/;

/**
 * A document with the relative `file:` addresses of its data made absolute; everything else keeps its line.
 * @throws CliError when a path does not exist
 */
export function withAbsoluteFiles(text: string, folder: string, file: string): string {
	const { doc, lines } = readYaml(text);
	if (!doc) return text;
	const found: { from: number; to: number; uri: string }[] = [];
	visit(doc, {
		Pair(_, pair, above) {
			const { value } = pair;
			if (!hasKey(pair, "uri") || !hasKey(above.findLast(isPair), "data")) return;
			if (!isScalar(value) || !value.range || typeof value.value !== "string" || !RELATIVE.test(value.value)) return;
			const [from, to] = value.range;
			const { line, col } = lines.linePos(from);
			found.push({ from, to, uri: fileUri(value.value.slice("file:".length), folder, `${file}:${line}:${col}`) });
		},
	});
	// From the end, so that earlier positions keep their offsets.
	return found.reduceRight((out, { from, to, uri }) => `${out.slice(0, from)}${JSON.stringify(uri)}${out.slice(to)}`, text);
}

function hasKey(pair: Pair | undefined, name: string): boolean {
	return isScalar(pair?.key) && pair.key.value === name;
}

/**
 * The absolute address of a path.
 * @param where the flag, or the position in a file, that names it
 * @throws CliError when it does not exist
 */
export function fileUri(relative: string, folder: string, where: string): string {
	const absolute = path.resolve(folder, relative);
	if (!existsSync(absolute)) throw badInput(`${where}: "${relative}" is ${absolute}, which does not exist.`);
	return pathToFileURL(absolute).href;
}
