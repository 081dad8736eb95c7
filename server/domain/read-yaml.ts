import { type Document, isScalar, Lexer, LineCounter, parseDocument, visit } from "yaml";

/**
 * Parts (words, brackets, line breaks, …) of a document at most. The parser takes up to 0.1 ms for each part of a
 * document that is wrong throughout, so that its length alone does not bound its time: 256 KiB of brackets took a minute.
 */
export const MOST_YAML_PARTS = 20_000;

/** Of a problem's message. */
const MESSAGE_CHARACTERS = 160;

export interface YamlProblem {
	/** Character of the source at which it stands. */
	offset: number;
	/** The library's code, e.g. `DUPLICATE_KEY`, or `TOO_LARGE` or `TOO_DEEP`. */
	code: string;
	message: string;
}

/** A YAML text as the library's nodes. With problems the document is not to be used. */
export type YamlReading = { lines: LineCounter } & (
	| { doc: Document; problems: readonly [] }
	| { doc: null; problems: readonly YamlProblem[] }
);

/**
 * Reads one YAML document that comes from outside. Total, and bounded in time for a bounded text. Warnings (a tag that
 * means nothing here) are problems too: nothing that was written is passed over.
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
		if (problems.length === 0) problems.push(...duplicateKeys(doc));
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

/** The library quotes what it stumbled over in full, however long that is. */
function wording(message: string): string {
	if (message.includes("call stack")) return "it is nested too deeply";
	const [short = message] = message.split(/; please use /, 1);
	return short.length <= MESSAGE_CHARACTERS ? short : `${short.slice(0, MESSAGE_CHARACTERS)}…`;
}

function duplicateKeys(doc: Document): YamlProblem[] {
	const problems: YamlProblem[] = [];
	visit(doc, {
		Map(_key, map) {
			const seen = new Set<unknown>();
			for (const { key } of map.items) {
				if (!isScalar(key)) continue;
				if (seen.has(key.value)) {
					problems.push({
						offset: key.range?.[0] ?? 0,
						code: "DUPLICATE_KEY",
						message: `the key ${String(key.value).slice(0, 60)} is there twice`,
					});
				}
				seen.add(key.value);
			}
		},
	});
	return problems;
}
