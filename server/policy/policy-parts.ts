import { isMap, isSeq } from "yaml";
import { readYaml } from "#server/domain/read-yaml.ts";

/** Lines of a policy text that form one part. The parts in order concatenate to the text. */
export interface TextPart {
	/** `rule:ID`, `budget:ID`; `before:rules`, `before:budgets`, `end`: the text between them. */
	key: string;
	lines: string[];
}

const SECTIONS = [
	{ field: "rules", prefix: "rule" },
	{ field: "budgets", prefix: "budget" },
] as const;

/**
 * Splits a text by the entries of its lists. Comments directly above an entry belong to it. null when it cannot be
 * split by lines: invalid YAML, entries on one line (`[…]`), missing or duplicate ids.
 */
export function partsOf(lines: readonly string[]): TextPart[] | null {
	const text = lines.join("\n");
	const { doc: document } = readYaml(text);
	if (!document) return null;
	const starts = startsOf(lines);
	const found: { key: string; from: number; to: number; section: string }[] = [];
	for (const { field, prefix } of SECTIONS) {
		const list = document.getIn(["spec", field], true);
		if (list === undefined || list === null || !isSeq(list)) continue;
		const places: { id: string; from: number; end: number }[] = [];
		for (const item of list.items) {
			const id: unknown = isMap(item) ? item.get("id") : null;
			if (!isMap(item) || !item.range || typeof id !== "string") return null;
			const dash = text.lastIndexOf("-", item.range[0] - 1);
			const first = dash < 0 || text.slice(dash + 1, item.range[0]).trim() !== "" ? -1 : lineAt(starts, dash);
			if (first < 0 || text.slice(starts[first], dash).trim() !== "") return null;
			places.push({
				id,
				from: aboveComments(lines, first),
				end: belowBlanks(lines, lineAt(starts, Math.max(item.range[0], item.range[1] - 1)) + 1),
			});
		}
		for (const [i, { id, from, end }] of places.entries())
			found.push({ key: `${prefix}:${id}`, from, to: places[i + 1]?.from ?? end, section: field });
	}
	found.sort((a, b) => a.from - b.from);
	if (new Set(found.map((f) => f.key)).size < found.length) return null;
	return withStretches(lines, found);
}

function withStretches(
	lines: readonly string[],
	found: readonly { key: string; from: number; to: number; section: string }[],
): TextPart[] | null {
	const parts: TextPart[] = [];
	let at = 0;
	let section = "";
	for (const part of found) {
		if (part.from < at || part.to <= part.from) return null;
		if (part.section !== section) parts.push({ key: `before:${part.section}`, lines: lines.slice(at, part.from) });
		else if (part.from !== at) return null;
		parts.push({ key: part.key, lines: lines.slice(part.from, part.to) });
		[at, section] = [part.to, part.section];
	}
	parts.push({ key: "end", lines: lines.slice(at) });
	return parts;
}

function startsOf(lines: readonly string[]): number[] {
	const starts = [0];
	for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length + 1);
	return starts;
}

function lineAt(starts: readonly number[], offset: number): number {
	let [low, high] = [0, starts.length - 1];
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if ((starts[middle] ?? 0) <= offset) low = middle;
		else high = middle - 1;
	}
	return low;
}

function belowBlanks(lines: readonly string[], end: number): number {
	let to = end;
	while (to < lines.length && (lines[to] ?? "").trim() === "") to++;
	return to;
}

function aboveComments(lines: readonly string[], first: number): number {
	let from = first;
	while (from > 0 && /^\s*#/.test(lines[from - 1] ?? "")) from--;
	return from;
}
