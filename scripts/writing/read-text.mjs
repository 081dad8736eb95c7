// Extracts the text that people read from a source: comments, string literals, JSX text, and the prose of Markdown.
import { parseSync, Visitor } from "oxc-parser";

/** @typedef {{line: number, text: string, kind: "comment" | "string" | "name" | "prose"}} Passage `line` counts from 1 */

const SOURCE = /\.(ts|tsx|mts|mjs|js)$/;
/** An import path, an identifier, a class list or a selector: one string without a space between words. */
const NOT_PROSE = /^\S*$/;

/**
 * @param {string} file path with its extension, which decides how the text is read
 * @param {string} content
 * @returns {Passage[]} one per line of text
 */
export function readText(file, content) {
	if (SOURCE.test(file)) return readSource(file, content);
	if (file.endsWith(".md")) return readMarkdown(content);
	if (/\.(css|sql|yaml|yml|sh)$/.test(file)) return content.split("\n").map((text, index) => ({ line: index + 1, text, kind: "comment" }));
	return [];
}

function readSource(file, content) {
	const lineAt = lineFinder(content);
	const passages = [];
	const add = (kind, start, text) => {
		for (const [index, part] of text.split("\n").entries()) passages.push({ line: lineAt(start) + index, text: part, kind });
	};
	const addString = (start, text) => {
		if (!NOT_PROSE.test(text)) add("string", start, text);
	};
	const addName = (node) => {
		if (node?.type === "Identifier") add("name", node.start, splitName(node.name));
	};
	const { program, comments } = parseSync(file, content);
	for (const { value, start } of comments) add("comment", start, value);
	new Visitor({
		Literal: ({ value, start }) => {
			if (typeof value === "string") addString(start, value);
		},
		TemplateElement: ({ value, start }) => addString(start, ` ${value.raw} `),
		JSXText: ({ value, start }) => addString(start, value),
		VariableDeclarator: ({ id }) => addName(id),
		FunctionDeclaration: ({ id, params }) => [id, ...params].forEach(addName),
		ArrowFunctionExpression: ({ params }) => params.forEach(addName),
		ClassDeclaration: ({ id }) => addName(id),
		MethodDefinition: ({ key }) => addName(key),
		TSTypeAliasDeclaration: ({ id }) => addName(id),
		TSInterfaceDeclaration: ({ id }) => addName(id),
		TSPropertySignature: ({ key }) => addName(key),
		Property: ({ key }) => addName(key),
	}).visit(program);
	return passages;
}

/** Words of a name: `costMicroUsd` reads "cost micro usd". */
function splitName(name) {
	return name
		.replace(/([a-z\d])([A-Z])/g, "$1 $2")
		.replaceAll("_", " ")
		.toLowerCase();
}

/** Markdown without fenced code, inline code and link targets. */
function readMarkdown(content) {
	let fenced = false;
	return content.split("\n").flatMap((text, index) => {
		if (/^\s*(```|~~~)/.test(text)) {
			fenced = !fenced;
			return [];
		}
		if (fenced) return [];
		const prose = text.replace(/`[^`]*`/g, "`code`").replace(/\]\([^)]*\)/g, "]");
		return [{ line: index + 1, text: prose, kind: "prose" }];
	});
}

function lineFinder(content) {
	const starts = [0];
	for (let at = content.indexOf("\n"); at !== -1; at = content.indexOf("\n", at + 1)) starts.push(at + 1);
	return (offset) => {
		let [low, high] = [0, starts.length];
		while (high - low > 1) {
			const middle = (low + high) >> 1;
			if (starts[middle] <= offset) low = middle;
			else high = middle;
		}
		return low + 1;
	};
}
