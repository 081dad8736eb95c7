/** YAML token types for syntax colors. */
export type YamlKind = "key" | "comment" | "text" | "number" | "plain";
export type YamlToken = { text: string; kind: YamlKind };

const PIECE =
	/(#.*$)|("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|([A-Za-z_][\w-]*)(?=\s*:(?:\s|$))|(\b\d+(?:\.\d+)?(?:[smhd]|GiB)?\b)|([^#"'\w]+|[\w-]+)/g;

/** Splits a line into tokens that join back to the line. For display only. */
export function yamlTokens(line: string): YamlToken[] {
	if (/^\s*#/.test(line)) return [{ text: line, kind: "comment" }];
	const tokens: YamlToken[] = [];
	for (const [text, comment, quoted, key, number] of line.matchAll(PIECE)) {
		// A # inside a word does not start a comment.
		const kind: YamlKind =
			comment !== undefined
				? "comment"
				: quoted !== undefined
					? "text"
					: key !== undefined
						? "key"
						: number !== undefined
							? "number"
							: "plain";
		const last = tokens.at(-1);
		if (last?.kind === kind) last.text += text;
		else tokens.push({ text, kind });
	}
	return tokens;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;
const isBlank = (line: string): boolean => line.trim() === "";
const isComment = (line: string): boolean => line.trimStart().startsWith("#");

/**
 * Lines of the entry starting at `line` (1-based): it continues while lines are indented deeper. Trailing blank lines
 * and comments belong to the next entry.
 */
export function blockAt(lines: readonly string[], line: number): { from: number; to: number } {
	const first = lines[line - 1];
	if (first === undefined) return { from: line, to: line };
	const indent = indentOf(first);
	let to = line;
	for (let i = line; i < lines.length; i++) {
		const text = lines[i] ?? "";
		if (isBlank(text) || isComment(text)) continue;
		if (indentOf(text) <= indent) break;
		to = i + 1;
	}
	return { from: line, to };
}

/** First line of a top-level section; null if missing. */
export function lineOfKey(lines: readonly string[], key: "weights" | "shares"): number | null {
	const index = lines.findIndex((line) => line.trimStart().startsWith(`${key}:`));
	return index < 0 ? null : index + 1;
}
