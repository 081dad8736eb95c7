import { GceError } from "./gce-error.ts";
import { isObject } from "./wire/check-message.ts";
import { messageOf } from "./wire/schema.ts";

type Test = (item: Record<string, unknown>) => boolean;
const WORD = /\s*(\(|\)|AND\b|OR\b|[\w.-]+(?=\s*(?:=|!=|:))|(?:!=|=|:)\s*(?:"[^"]*"|[^\s()]+))/y;

/**
 * Google's filter, a subset of AIP-160: `field=value`, `!=` and `:` (contains; `:*` exists), joined by AND and OR (OR binds more
 * tightly), with parentheses.
 * @throws GceError invalid for anything else, and for a field that the resource does not have
 */
export function compileFilter(filter: string | null, typeName: string): Test {
	if (filter === null || filter.trim() === "") return () => true;
	const words = wordsOf(filter);
	const parser = { words, at: 0, typeName, filter };
	const test = parseAll(parser);
	if (parser.at < words.length) throw wrongFilter(filter);
	return test;
}

interface Parser {
	words: string[];
	at: number;
	typeName: string;
	filter: string;
}

function wordsOf(filter: string): string[] {
	const words: string[] = [];
	WORD.lastIndex = 0;
	while (WORD.lastIndex < filter.trimEnd().length) {
		const [, word] = WORD.exec(filter) ?? [];
		if (word === undefined) throw wrongFilter(filter);
		words.push(word);
	}
	return words;
}

function parseAll(parser: Parser): Test {
	const tests = [parseAny(parser)];
	while (parser.at < parser.words.length && parser.words[parser.at] !== ")") {
		if (parser.words[parser.at] === "AND") parser.at += 1;
		tests.push(parseAny(parser));
	}
	return (item) => tests.every((test) => test(item));
}

function parseAny(parser: Parser): Test {
	const tests = [parseOne(parser)];
	while (parser.words[parser.at] === "OR") {
		parser.at += 1;
		tests.push(parseOne(parser));
	}
	return (item) => tests.some((test) => test(item));
}

function parseOne(parser: Parser): Test {
	const word = parser.words[parser.at++];
	if (word === "(") {
		const test = parseAll(parser);
		if (parser.words[parser.at++] !== ")") throw wrongFilter(parser.filter);
		return test;
	}
	const [, operator, quoted, bare] = /^(!=|=|:)\s*(?:"([^"]*)"|(.+))$/.exec(parser.words[parser.at++] ?? "") ?? [];
	if (word === undefined || operator === undefined) throw wrongFilter(parser.filter);
	const path = word.split(".");
	if (!messageOf(parser.typeName).fields[path[0] ?? ""]) throw wrongFilter(parser.filter);
	return compare(path, operator, quoted ?? bare ?? "");
}

function compare(path: readonly string[], operator: string, wanted: string): Test {
	return (item) => {
		const value = path.reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), item);
		if (operator === ":" && wanted === "*") return value !== undefined;
		const text = value === undefined ? null : String(value);
		if (operator === "!=") return text !== wanted;
		return operator === "=" ? text === wanted : (text?.includes(wanted) ?? false);
	};
}

function wrongFilter(filter: string): GceError {
	return new GceError("invalid", `Invalid value for field 'filter': '${filter}'. Invalid list filter expression.`);
}
