import { Document, isCollection, isMap, isScalar, type Node, Scalar } from "yaml";
import { readYaml } from "#server/domain/read-yaml.ts";

export type YamlPath = readonly (string | number)[];
export type YamlValue = string | number | boolean | readonly string[] | Readonly<Record<string, string>>;

/**
 * The text with one field changed, or removed if `value` is undefined; null if it does not parse. Everything else is
 * kept, including comments: a single-line value is replaced in place, other changes edit the document nodes and write
 * the text from them.
 */
export function editYaml(text: string, path: YamlPath, value: YamlValue | undefined): string | null {
	const { doc } = readYaml(text);
	if (!doc) return null;
	if (value === undefined) return withoutField(text, doc, path);
	const now = doc.getIn(path, true);
	if (isScalar(now) && typeof value !== "object" && isPlain(now)) {
		const replaced = replaceScalar(text, now, scalarText(value, isInFlow(doc, path)));
		if (replaced !== null && readsBack(replaced, path, value)) return replaced;
	}
	const node = doc.createNode(value) as Node;
	if (isCollection(node)) node.flow = JSON.stringify(value).length < 90 && !JSON.stringify(value).includes("\\n");
	if (isScalar(now)) copyComments(now, node);
	const parent = parentMap(doc, path);
	doc.setIn(path, node);
	if (!parent) makeFlow(doc, path);
	return write(doc);
}

/** Line (1-based) of a field's value; null if missing. */
export function lineOf(text: string, path: YamlPath): number | null {
	const { doc, lines } = readYaml(text);
	const node = doc?.getIn(path, true);
	const offset = (node as Node | undefined)?.range?.[0];
	return offset === undefined ? null : lines.linePos(offset).line;
}

function withoutField(text: string, doc: Document, path: YamlPath): string {
	if (!doc.hasIn(path)) return text;
	doc.deleteIn(path);
	for (let depth = path.length - 1; depth > 1; depth--) {
		const parent = doc.getIn(path.slice(0, depth), true);
		if (!isMap(parent) || parent.items.length > 0) break;
		doc.deleteIn(path.slice(0, depth));
	}
	return write(doc);
}

const write = (doc: Document): string => doc.toString({ lineWidth: 0, flowCollectionPadding: true });

const isPlain = (node: Scalar): boolean =>
	!node.anchor && !node.tag && node.type !== Scalar.BLOCK_FOLDED && node.type !== Scalar.BLOCK_LITERAL;

function scalarText(value: string | number | boolean, inFlow: boolean): string | null {
	if (typeof value !== "string") return String(value);
	if (value.includes("\n")) return null;
	if (inFlow && /[,[\]{}]/.test(value)) return JSON.stringify(value);
	return new Document(value).toString({ lineWidth: 0 }).trimEnd();
}

function replaceScalar(text: string, node: Scalar, replacement: string | null): string | null {
	const range = node.range;
	if (!range || replacement === null || range[1] <= range[0]) return null;
	return text.slice(0, range[0]) + replacement + text.slice(range[1]);
}

/** A textual replacement is accepted only if the result parses to the intended value. */
function readsBack(text: string, path: YamlPath, value: YamlValue): boolean {
	const { doc } = readYaml(text);
	return doc !== null && doc.getIn(path) === value;
}

function isInFlow(doc: Document, path: YamlPath): boolean {
	for (let depth = path.length - 1; depth > 0; depth--) {
		const node = doc.getIn(path.slice(0, depth), true);
		if (isCollection(node) && node.flow) return true;
	}
	return false;
}

function copyComments(from: Node, to: Node): void {
	if (from.comment) to.comment = from.comment;
	if (from.commentBefore) to.commentBefore = from.commentBefore;
}

function parentMap(doc: Document, path: YamlPath): boolean {
	return path.length < 2 || isMap(doc.getIn(path.slice(0, -1), true));
}

/** A map created for the field is written on one line: `duration: { estimate: 6h }`. */
function makeFlow(doc: Document, path: YamlPath): void {
	const parent = doc.getIn(path.slice(0, -1), true);
	if (isMap(parent) && path.length > 2) parent.flow = true;
}
