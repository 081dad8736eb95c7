import { isCollection, isScalar, isSeq, type Node, visit, type YAMLSeq } from "yaml";

/** Lines of a text that belong together, 0-based, `to` included. */
export interface Block {
	/** The first of the comments right above the entry; `dash` when it has none. */
	from: number;
	dash: number;
	to: number;
	/** Columns before the dash. */
	indent: number;
}

export const indentOf = (line: string): number => line.length - line.trimStart().length;
const isComment = (line: string): boolean => line.trimStart().startsWith("#");
const isDash = (line: string): boolean => /^\s*-(\s|$)/.test(line);

/** The number of line ends before each offset is asked for often: the starts are found once. */
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

/** Offset behind the last character of what a node says, without the line ends and comments after it. */
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
 * The lines of every entry of a list that stands one entry below the other; null for a list in brackets. A comment right
 * above an entry belongs to it, and so do those below it that are indented deeper than its dash.
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

/** A list in brackets written one entry below the other, each as it was; null when there are comments between them. */
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
