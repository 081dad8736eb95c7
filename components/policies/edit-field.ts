import { Document, isCollection, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap, type YAMLSeq } from "yaml";
import { readYaml } from "#server/domain/read-yaml.ts";
import { blocksOf, contentEnd, lineFinder } from "#server/domain/yaml-blocks.ts";

export type FieldPath = readonly (string | number)[];
export type FieldValue = string | number | boolean | readonly string[];

/**
 * The text with one field changed, or removed if `value` is undefined; all other lines stay byte-identical. Null if the
 * text does not parse or the change would affect other values: the result is parsed again and must differ only in that
 * field.
 */
export function editField(text: string, path: FieldPath, value: FieldValue | undefined): string | null {
	const { doc } = readYaml(text);
	if (!doc) return null;
	try {
		const edited = value === undefined ? withoutField(text, doc, path) : withField(text, doc, path, value);
		return edited !== null && mentionsMeaning(edited, expected(doc, path, value)) ? edited : null;
	} catch (error) {
		// Policies have no aliases; validation reports them.
		if (error instanceof ReferenceError) return null;
		throw error;
	}
}

function withField(text: string, doc: Document, path: FieldPath, value: FieldValue): string | null {
	const node = doc.getIn(path, true) as Node | null | undefined;
	if (node && !(isScalar(node) && node.value === null)) return replaced(text, doc, node, path, value);
	const parent = nearestParent(doc, path);
	if (!parent) return null;
	const { map, depth } = parent;
	const key = path[depth];
	if (typeof key !== "string") return null;
	const rest = path.slice(depth + 1);
	const written = rest.reduceRight<string>(
		(inner, each) => `{ ${each}: ${inner} }`,
		valueText(value, rest.length > 0 || isFlow(doc, path.slice(0, depth))),
	);
	const pair = map.items.find((each) => keyOf(each) === key);
	if (pair) return atEmptyKey(text, pair, written);
	return map.flow ? inFlow(text, map, `${key}: ${written}`) : inBlock(text, map, key, written);
}

/** The deepest existing map on the path; missing parents are written with the value. */
function nearestParent(doc: Document, path: FieldPath): { map: YAMLMap; depth: number } | null {
	for (let depth = path.length - 1; depth >= 0; depth--) {
		const node = depth === 0 ? doc.contents : doc.getIn(path.slice(0, depth), true);
		if (isMap(node)) return { map: node, depth };
		if (node && !(isScalar(node) && node.value === null)) return null;
	}
	return null;
}

function replaced(text: string, doc: Document, node: Node, path: FieldPath, value: FieldValue): string | null {
	const range = node.range;
	if (!range) return null;
	if (Array.isArray(value) && isSeq(node) && !node.flow) {
		const lines = listLines(text, node, value);
		if (lines) return lines;
	}
	const end =
		isScalar(node) || (isCollection(node) && node.flow)
			? range[0] + text.slice(range[0], range[1]).trimEnd().length
			: contentEnd(text, node);
	return text.slice(0, range[0]) + valueText(value, isFlow(doc, path.slice(0, -1))) + text.slice(end);
}

/** Block list: unchanged entries keep their lines and comments. */
function listLines(text: string, seq: YAMLSeq, value: readonly string[]): string | null {
	const blocks = blocksOf(text, seq);
	if (!blocks?.[0] || value.length === 0) return null;
	const lines = text.split("\n");
	const known = new Map(seq.items.map((item, i) => [isScalar(item) ? String(item.value) : null, blocks[i]] as const));
	const pad = " ".repeat(blocks[0].indent);
	const eol = text.includes("\r\n") ? "\r" : "";
	const next = value.flatMap((each) => {
		const block = known.get(each);
		return block ? lines.slice(block.from, block.to + 1) : [`${pad}- ${valueText(each, false)}${eol}`];
	});
	return [...lines.slice(0, blocks[0].from), ...next, ...lines.slice((blocks.at(-1) ?? blocks[0]).to + 1)].join("\n");
}

/** `when:` without a value. */
function atEmptyKey(text: string, pair: Pair, written: string): string | null {
	const range = (pair.key as Node).range;
	const colon = range ? text.indexOf(":", range[1]) : -1;
	if (colon < 0) return null;
	const null_ = /^[ \t]*(null|~)?/.exec(text.slice(colon + 1))?.[0] ?? "";
	const rest = text.slice(colon + 1 + null_.length);
	return `${text.slice(0, colon + 1)} ${written}${rest.startsWith("#") || rest.startsWith("}") ? " " : ""}${rest}`;
}

function inFlow(text: string, map: YAMLMap, entry: string): string | null {
	const range = map.range;
	if (!range) return null;
	const last = map.items.at(-1);
	if (!last) return `${text.slice(0, range[0])}{ ${entry} }${text.slice(range[1])}`;
	const end = contentEnd(text, (last.value ?? last.key) as Node);
	return `${text.slice(0, end)}, ${entry}${text.slice(end)}`;
}

/** New line: a condition follows the ID, other fields go to the end of the map. */
function inBlock(text: string, map: YAMLMap, key: string, written: string): string | null {
	const lines = text.split("\n");
	const lineAt = lineFinder(text);
	const first = map.items[0]?.key as Node | undefined;
	if (!first?.range) return null;
	const column = first.range[0] - (text.lastIndexOf("\n", first.range[0] - 1) + 1);
	const id = key === "when" ? map.items.find((each) => keyOf(each) === "id") : undefined;
	const after = id ? ((id.value ?? id.key) as Node) : map;
	const at = lineAt(contentEnd(text, after)) + 1;
	const eol = text.includes("\r\n") ? "\r" : "";
	return [...lines.slice(0, at), `${" ".repeat(column)}${key}: ${written}${eol}`, ...lines.slice(at)].join("\n");
}

function withoutField(text: string, doc: Document, path: FieldPath): string | null {
	if (!doc.hasIn(path)) return text;
	const map = doc.getIn(path.slice(0, -1), true);
	const key = path.at(-1);
	if (!isMap(map)) return null;
	const index = map.items.findIndex((each) => keyOf(each) === key);
	const pair = map.items[index];
	const start = (pair?.key as Node | undefined)?.range?.[0];
	if (!pair || start === undefined) return null;
	const end = contentEnd(text, (pair.value ?? pair.key) as Node);
	const [before, after] = [map.items[index - 1], map.items[index + 1]];
	if (map.flow) {
		const next = (after?.key as Node | undefined)?.range?.[0];
		if (next !== undefined) return text.slice(0, start) + text.slice(next);
		if (before) return text.slice(0, contentEnd(text, (before.value ?? before.key) as Node)) + text.slice(end);
		const range = map.range;
		return range ? `${text.slice(0, range[0])}{}${text.slice(range[1])}` : null;
	}
	const lines = text.split("\n");
	const lineAt = lineFinder(text);
	const [from, to] = [lineAt(start), lineAt(end)];
	const column = start - (text.lastIndexOf("\n", start - 1) + 1);
	if (!before && !after) return null;
	// After the dash: the next field takes its place.
	if ((lines[from] ?? "").slice(0, column).trim() !== "") {
		const next = (after?.key as Node | undefined)?.range?.[0];
		return next === undefined ? null : text.slice(0, start) + text.slice(next);
	}
	return [...lines.slice(0, from), ...lines.slice(to + 1)].join("\n");
}

const keyOf = (pair: Pair): unknown => (isScalar(pair.key) ? pair.key.value : null);

function isFlow(doc: Document, path: FieldPath): boolean {
	for (let depth = path.length; depth > 0; depth--) {
		const node = doc.getIn(path.slice(0, depth), true);
		if (isCollection(node) && node.flow) return true;
	}
	return false;
}

function valueText(value: FieldValue, flow: boolean): string {
	if (Array.isArray(value)) return `[${value.map((each: string) => scalarText(each, true)).join(", ")}]`;
	return scalarText(value as string | number | boolean, flow);
}

function scalarText(value: string | number | boolean, flow: boolean): string {
	if (typeof value !== "string") return String(value);
	const plain = new Document(value).toString({ lineWidth: 0 }).trimEnd();
	// Quoting is not required for a colon inside, but "aws:eu-*" is the familiar form.
	return plain.includes("\n") || (flow && /[,[\]{}:*#]/.test(value) && !/^["']/.test(plain)) ? JSON.stringify(value) : plain;
}

/** The parsed document expected after the change. */
function expected(doc: Document, path: FieldPath, value: FieldValue | undefined): string {
	const root: unknown = doc.toJS({ maxAliasCount: 0 });
	let at = root as Record<string | number, unknown>;
	for (const key of path.slice(0, -1)) {
		if (typeof at[key] !== "object" || at[key] === null) {
			if (value === undefined) return canonical(root);
			at[key] = {};
		}
		at = at[key] as Record<string | number, unknown>;
	}
	const last = path.at(-1) ?? "";
	if (value === undefined) delete at[last];
	else at[last] = value;
	return canonical(root);
}

function mentionsMeaning(text: string, meaning: string): boolean {
	const { doc } = readYaml(text);
	return doc !== null && canonical(doc.toJS({ maxAliasCount: 0 })) === meaning;
}

/** Deep equality regardless of field order. */
function canonical(value: unknown): string {
	return JSON.stringify(value, (_key, each: unknown) =>
		typeof each === "object" && each !== null && !Array.isArray(each)
			? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
			: each,
	);
}
