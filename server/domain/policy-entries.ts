import { type Document, isMap, isScalar, isSeq, type Node, type Pair } from "yaml";
import { readYaml } from "./read-yaml.ts";
import { type Block, blocksOf, contentEnd, indentOf, lineFinder, unfolded } from "./yaml-blocks.ts";

export type ListName = "rules" | "budgets";

/** A list entry with its value and lines, 1-based and inclusive. */
export interface Entry {
	index: number;
	id: string;
	value: Readonly<Record<string, unknown>>;
	lines: { from: number; to: number };
	/** Its lines without leading comments, used to match it later. */
	text: string;
}

/** The parsable part of a draft, valid policy or not. */
export interface Outline {
	rules: Entry[];
	budgets: Entry[];
	spec: Readonly<Record<string, unknown>>;
}

/** null if the YAML does not parse. */
export function outlineOf(text: string): Outline | null {
	const { doc } = readYaml(text);
	if (!doc) return null;
	return {
		rules: entriesOf(text, doc, "rules"),
		budgets: entriesOf(text, doc, "budgets"),
		spec: record(jsOf(doc, doc.getIn(["spec"], true))),
	};
}

function entriesOf(text: string, doc: Document, list: ListName): Entry[] {
	const seq = doc.getIn(["spec", list], true);
	if (!isSeq(seq)) return [];
	const blocks = blocksOf(text, seq);
	const lines = text.split("\n");
	const lineAt = lineFinder(text);
	return (seq.items as Node[]).map((item, index) => {
		const value = record(jsOf(doc, item));
		const block = blocks?.[index];
		const from = block?.dash ?? lineAt(item.range?.[0] ?? 0);
		const to = block?.to ?? lineAt(contentEnd(text, item));
		const id = typeof value["id"] === "string" ? value["id"] : "";
		const own = block ? lines.slice(from, to + 1).join("\n") : text.slice(item.range?.[0] ?? 0, item.range?.[1] ?? 0);
		return { index, id, value, lines: { from: from + 1, to: to + 1 }, text: own };
	});
}

export const record = (value: unknown): Record<string, unknown> =>
	typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** Policies have no aliases; an alias yields undefined and validation reports it. */
function jsOf(doc: Document, node: unknown): unknown {
	try {
		return (node as Node | undefined)?.toJS(doc, { maxAliasCount: 0 });
	} catch {
		return undefined;
	}
}

/** The text without an entry and its comments; null if it cannot be removed. */
export function removeEntry(text: string, list: ListName, index: number): string | null {
	return withBlocks(text, list, ({ lines, blocks, eol }) => {
		const block = blocks[index];
		if (!block) return null;
		if (blocks.length === 1) return emptied(lines, block, eol);
		let { from, to } = block;
		// Also removes one adjacent blank line to avoid a gap.
		const isBlank = (n: number) => lines[n]?.trim() === "";
		if (isBlank(to + 1) && (index < blocks.length - 1 || to + 1 < lines.length - 1) && isBlank(from - 1)) to++;
		else if (index === blocks.length - 1 && isBlank(from - 1)) from--;
		return [...lines.slice(0, from), ...lines.slice(to + 1)].join("\n");
	});
}

/** When the last entry is removed, an empty key would mean null, so write brackets. */
function emptied(lines: readonly string[], block: Block, eol: string): string | null {
	let key = block.from - 1;
	while (key >= 0 && !/^\s*[\w"']+\s*:\s*(#.*)?\r?$/.test(lines[key] ?? "")) key--;
	if (key < 0) return null;
	const own = (lines[key] ?? "").replace(/:\s*?(\s*#.*)?\r?$/, (_all, comment: string | undefined) => `: []${comment ?? ""}`) + eol;
	return [...lines.slice(0, key), own, ...lines.slice(key + 1, block.from), ...lines.slice(block.to + 1)].join("\n");
}

/** Moves an entry past its neighbor; the blank lines between them stay. */
export function moveEntry(text: string, list: ListName, index: number, by: -1 | 1): string | null {
	return withBlocks(text, list, ({ lines, blocks }) => {
		const [first, second] = [blocks[Math.min(index, index + by)], blocks[Math.max(index, index + by)]];
		if (!first || !second) return null;
		return [
			...lines.slice(0, first.from),
			...lines.slice(second.from, second.to + 1),
			...lines.slice(first.to + 1, second.from),
			...lines.slice(first.from, first.to + 1),
			...lines.slice(second.to + 1),
		].join("\n");
	});
}

/** Duplicates an entry below itself under a new ID. */
export function duplicateEntry(text: string, list: ListName, index: number): string | null {
	const outline = outlineOf(text);
	const entry = outline?.[list][index];
	if (!outline || !entry) return null;
	const id = freshId(
		entry.id || "copy",
		outline[list].map((e) => e.id),
	);
	const copied = withBlocks(text, list, ({ lines, blocks }) => {
		const block = blocks[index];
		if (!block) return null;
		const gap = lines[block.from - 1]?.trim() === "" && index > 0 ? [lines[block.from - 1] ?? ""] : [];
		const own = lines.slice(block.dash, block.to + 1);
		return [...lines.slice(0, block.to + 1), ...gap, ...own, ...lines.slice(block.to + 1)].join("\n");
	});
	if (copied === null) return null;
	const { doc } = readYaml(copied);
	const node = doc?.getIn(["spec", list, index + 1, "id"], true);
	if (!isScalar(node) || !node.range) return null;
	return copied.slice(0, node.range[0]) + id + copied.slice(node.range[1]);
}

/** `burst-2` if `burst` exists. */
export function freshId(wanted: string, taken: readonly string[]): string {
	if (!taken.includes(wanted)) return wanted;
	const stem = wanted.replace(/-\d+$/, "");
	for (let n = 2; ; n++) if (!taken.includes(`${stem}-${n}`)) return `${stem}-${n}`;
}

/**
 * The text with an entry appended to a list, which is created if missing. `entry` is its YAML without the dash; lines
 * after the first are not indented.
 */
export function addEntry(text: string, list: ListName, entry: string): string | null {
	const { doc } = readYaml(text);
	const spec = doc?.getIn(["spec"], true);
	if (!doc || !isMap(spec) || spec.flow) return null;
	const eol = text.includes("\r\n") ? "\r" : "";
	const pair = spec.items.find((each) => keyOf(each) === list);
	const node = pair?.value;
	if (isSeq(node) && node.items.length > 0)
		return withBlocks(text, list, ({ lines, blocks }) => {
			const [last, previous] = [blocks.at(-1), blocks.at(-2)];
			if (!last) return null;
			const gap = previous && lines[previous.to + 1]?.trim() === "" ? [eol] : [];
			return inserted(lines, last.to + 1, [...gap, ...dashed(entry, last.indent, eol)]);
		});
	const lines = text.split("\n");
	const lineAt = lineFinder(text);
	const column = (pair ?? spec.items[0])?.key as Node | undefined;
	const indent = column?.range ? indentOf(lines[lineAt(column.range[0])] ?? "") : 2;
	const body = dashed(entry, indent + 2, eol);
	if (!pair) {
		const end = spec.items.length > 0 ? lineAt(contentEnd(text, spec)) + 1 : lines.length;
		return inserted(lines, end, [`${" ".repeat(indent)}${list}:${eol}`, ...body]);
	}
	const keyLine = lineAt((pair.key as Node).range?.[0] ?? 0);
	const bare = (lines[keyLine] ?? "").replace(
		/:\s*(\[\s*\]|null|~)?(\s*#.*)?\r?$/,
		(_all, _value, comment: string | undefined) => `:${comment ?? ""}`,
	);
	return inserted([...lines.slice(0, keyLine), `${bare.trimEnd()}${eol}`, ...lines.slice(keyLine + 1)], keyLine + 1, body);
}

/** Inserts lines; starts a new line even if the last one has no line ending. */
function inserted(lines: readonly string[], at: number, more: readonly string[]): string {
	const place = Math.min(at, lines.length);
	return [...lines.slice(0, place), ...more, ...lines.slice(place)].join("\n");
}

function dashed(entry: string, indent: number, eol: string): string[] {
	const pad = " ".repeat(indent);
	return entry
		.trimEnd()
		.split("\n")
		.map((line, i) => (i === 0 ? `${pad}- ${line}${eol}` : line === "" ? eol : `${pad}  ${line}${eol}`));
}

const keyOf = (pair: Pair): unknown => (isScalar(pair.key) ? pair.key.value : null);

interface Blocks {
	lines: readonly string[];
	blocks: readonly Block[];
	/** "\r" for CRLF files. */
	eol: string;
}

/** Applies the change to a block list; a flow list is converted first. */
function withBlocks(text: string, list: ListName, change: (found: Blocks) => string | null): string | null {
	const { doc } = readYaml(text);
	const seq = doc?.getIn(["spec", list], true);
	if (!doc || !isSeq(seq)) return null;
	const blocks = blocksOf(text, seq);
	if (blocks) return change({ lines: text.split("\n"), blocks, eol: text.includes("\r\n") ? "\r" : "" });
	const spec = doc.getIn(["spec"], true);
	if (!isMap(spec) || spec.flow) return null;
	const key = spec.items.find((each) => keyOf(each) === list)?.key as Node | undefined;
	const column = key?.range ? key.range[0] - (text.lastIndexOf("\n", key.range[0] - 1) + 1) : 2;
	const block = unfolded(text, seq, column + 2);
	return block === null || block === text ? null : withBlocks(block, list, change);
}
