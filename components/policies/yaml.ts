/** What a piece of YAML is, as far as its colour goes. */
export type YamlKind = "key" | "comment" | "text" | "number" | "plain";
export type YamlToken = { text: string; kind: YamlKind };

const PIECE =
	/(#.*$)|("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|([A-Za-z_][\w-]*)(?=\s*:(?:\s|$))|(\b\d+(?:\.\d+)?(?:[smhd]|GiB)?\b)|([^#"'\w]+|[\w-]+)/g;

/** The pieces of one line; joined they are the line. Enough for reading: nothing is decided by it. */
export function yamlTokens(line: string): YamlToken[] {
	if (/^\s*#/.test(line)) return [{ text: line, kind: "comment" }];
	const tokens: YamlToken[] = [];
	for (const [text, comment, quoted, key, number] of line.matchAll(PIECE)) {
		// A # within a word is no comment.
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
 * The lines of the entry that begins at `line` (1-based): it goes on while lines are indented deeper than its first.
 * Blank lines and comments at its end belong to what follows.
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

/** Where a part of the policy that stands there once begins; null when it has none. */
export function lineOfKey(lines: readonly string[], key: "weights" | "shares"): number | null {
	const index = lines.findIndex((line) => line.trimStart().startsWith(`${key}:`));
	return index < 0 ? null : index + 1;
}
