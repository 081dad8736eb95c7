import { type Document, isCollection, isScalar, Lexer, LineCounter, parseDocument, visit } from "yaml";

/**
 * Maximum number of parts (words, brackets, line breaks, …) in a document. The parser takes up to 0.1 ms per part when
 * a document is wrong throughout, so its length alone does not bound the time: 256 KiB of brackets took a minute.
 */
export const MOST_YAML_PARTS = 20_000;

/** Maximum length of a problem's message. */
const MESSAGE_CHARACTERS = 160;

export interface YamlProblem {
	/** Offset of the problem in the source, in characters. */
	offset: number;
	/** The library's code, e.g. `DUPLICATE_KEY`, or `TOO_LARGE`, `TOO_DEEP`, `CIRCULAR_ALIAS` or `COLLECTION_KEY`. */
	code: string;
	message: string;
}

/** A YAML text as the library's nodes. Do not use the document if there are problems. */
export type YamlReading = { lines: LineCounter } & (
	| { doc: Document; problems: readonly [] }
	| { doc: null; problems: readonly YamlProblem[] }
);

/**
 * Reads one YAML document from outside. Never throws, and runs in bounded time for a bounded text. Warnings (such as a
 * tag without meaning here) count as problems too, so that nothing written is silently dropped.
 */
export function readYaml(source: string): YamlReading {
	const lines = new LineCounter();
	const wrong = (offset: number, code: string, message: string): YamlReading => ({
		lines,
		doc: null,
		problems: [{ offset, code, message }],
	});
	if (hasMoreParts(source, MOST_YAML_PARTS)) return wrong(0, "TOO_LARGE", `it has more than ${MOST_YAML_PARTS} parts`);
	try {
		// duplicate keys are found below: the library compares each key of a map with all others
		const doc = parseDocument(source, { lineCounter: lines, uniqueKeys: false, prettyErrors: false });
		const problems: YamlProblem[] = [...doc.errors, ...doc.warnings].map((e) => ({
			offset: e.pos[0],
			code: e.code,
			message: wording(e.message),
		}));
		if (problems.length === 0) problems.push(...unusableParts(doc));
		return problems.length === 0 ? { lines, doc, problems: [] } : { lines, doc: null, problems };
	} catch {
		return wrong(0, "TOO_DEEP", "it is nested too deeply");
	}
}

function hasMoreParts(source: string, most: number): boolean {
	let parts = 0;
	for (const _ of new Lexer().lex(source)) if (++parts > most) return true;
	return false;
}

/** The library quotes the offending text in full, however long it is. */
function wording(message: string): string {
	if (message.includes("call stack")) return "it is nested too deeply";
	const [short = message] = message.split(/; please use /, 1);
	return short.length <= MESSAGE_CHARACTERS ? short : `${short.slice(0, MESSAGE_CHARACTERS)}…`;
}

/** What the library accepts, but no plain value has: a key twice, a list or map as a key, a part that contains itself. */
function unusableParts(doc: Document): YamlProblem[] {
	const problems: YamlProblem[] = [];
	const found = (range: readonly number[] | null | undefined, code: string, message: string) =>
		problems.push({ offset: range?.[0] ?? 0, code, message });
	visit(doc, {
		Map(_key, map) {
			const seen = new Set<unknown>();
			for (const { key } of map.items) {
				if (isCollection(key)) found(key.range, "COLLECTION_KEY", "a key must be one value, not a list or map");
				if (!isScalar(key)) continue;
				if (seen.has(key.value)) found(key.range, "DUPLICATE_KEY", `the key ${String(key.value).slice(0, 60)} appears twice`);
				seen.add(key.value);
			}
		},
		Alias(_key, alias, path) {
			if (path.some((part) => isCollection(part) && part.anchor === alias.source && part === alias.resolve(doc)))
				found(alias.range, "CIRCULAR_ALIAS", `the alias ${alias.source.slice(0, 60)} is inside the part that it repeats`);
		},
	});
	return problems;
}
