import { isCollection, isScalar, isSeq, type Node, visit, type YAMLSeq } from "yaml";

/** A block of lines, 0-based and inclusive. */
export interface Block {
	/** First comment line directly above the entry; `dash` if none. */
	from: number;
	dash: number;
	to: number;
	/** Indentation of the dash. */
	indent: number;
}

export const indentOf = (line: string): number => line.length - line.trimStart().length;
const isComment = (line: string): boolean => line.trimStart().startsWith("#");
const isDash = (line: string): boolean => /^\s*-(\s|$)/.test(line);

/** Line starts are indexed once because offsets are converted often. */
export function lineFinder(text: string): (offset: number) => number {
	const starts = [0];
	for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
	return (offset) => {
		let [low, high] = [0, starts.length - 1];
		while (low < high) {
			const middle = (low + high + 1) >> 1;
			if ((starts[middle] ?? 0) <= offset) low = middle;
			else high = middle - 1;
		}
		return low;
	};
}

/** Offset after a node's last character, without trailing line endings and comments. */
export function contentEnd(text: string, node: Node): number {
	let end = node.range?.[0] ?? 0;
	visit(node, (_key, each) => {
		if (!isScalar(each) && !(isCollection(each) && each.flow)) return;
		const range = each.range;
		if (range) end = Math.max(end, range[0] + text.slice(range[0], range[1]).trimEnd().length);
	});
	return end;
}

/**
 * The lines of every entry of a block list; null for a flow list. A comment directly above an entry belongs to it, as
 * do comments below it that are indented deeper than its dash.
 */
export function blocksOf(text: string, seq: unknown): Block[] | null {
	if (!isSeq(seq) || seq.flow) return null;
	const lines = text.split("\n");
	const lineAt = lineFinder(text);
	const blocks: Block[] = [];
	for (const item of seq.items as Node[]) {
		const start = item.range?.[0];
		if (start === undefined) return null;
		const floor = (blocks.at(-1)?.to ?? -1) + 1;
		let dash = lineAt(start);
		while (dash >= floor && !isDash(lines[dash] ?? "")) dash--;
		if (dash < floor) return null;
		const indent = indentOf(lines[dash] ?? "");
		let from = dash;
		while (from - 1 >= floor && isComment(lines[from - 1] ?? "")) from--;
		let to = Math.max(dash, lineAt(contentEnd(text, item)));
		while (isComment(lines[to + 1] ?? "") && indentOf(lines[to + 1] ?? "") > indent) to++;
		blocks.push({ from, dash, to, indent });
	}
	return blocks;
}

/** Converts a flow list to a block list, keeping each entry; null if there are comments between entries. */
export function unfolded(text: string, seq: YAMLSeq, indent: number): string | null {
	const range = seq.range;
	if (!range) return null;
	const entries: string[] = [];
	let at = range[0] + 1;
	for (const item of seq.items as Node[]) {
		const own = item.range;
		if (!own || text.slice(at, own[0]).includes("#")) return null;
		entries.push(text.slice(own[0], own[1]).replaceAll(/\s*\n\s*/g, " "));
		at = own[1];
	}
	if (text.slice(at, range[1]).includes("#") || entries.some((e) => e.includes(" #"))) return null;
	const pad = " ".repeat(indent);
	return text.slice(0, range[0]).trimEnd() + entries.map((e) => `\n${pad}- ${e}`).join("") + text.slice(range[1]);
}
