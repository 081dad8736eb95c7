/**
 * Position in the source of character `valueOffset` of a scalar's value; the source may quote, escape, indent or fold it. Finds
 * the value's characters one after the other from `start` on, and skips everything between them (indentation, doubled quotes,
 * backslashes).
 */
export function sourceOffset(source: string, range: { start: number; end: number }, value: string, valueOffset: number): number {
	let at = contentStart(source, range.start);
	const escapes = source[range.start] === '"';
	for (let i = 0; i <= valueOffset && i < value.length; i++) {
		const found = findCharacter(source, { at, end: range.end }, value[i] ?? "", escapes);
		if (found === null) return range.start;
		if (i === valueOffset) return found.at;
		at = found.next;
	}
	return Math.min(at, range.end);
}

function contentStart(source: string, start: number): number {
	const first = source[start];
	if (first === '"' || first === "'") return start + 1;
	if (first !== "|" && first !== ">") return start;
	const lineEnd = source.indexOf("\n", start);
	return lineEnd < 0 ? start : lineEnd + 1;
}

function findCharacter(
	source: string,
	from: { at: number; end: number },
	wanted: string,
	escapes: boolean,
): { at: number; next: number } | null {
	for (let at = from.at; at < from.end; at++) {
		const here = source[at] ?? "";
		if (here === wanted && !(escapes && here === "\\")) return { at, next: at + 1 };
		if (escapes && here === "\\") {
			const length = escapeLength(source[at + 1]);
			if (length > 0) return { at, next: at + length };
		}
		// a folded line break is read as a space
		if (wanted === " " && (here === "\n" || here === "\r")) return { at, next: at + 1 };
	}
	return null;
}

/** Length of an escape in a double-quoted scalar; 0 for an escaped line break, which produces no character. */
function escapeLength(letter: string | undefined): number {
	if (letter === "x") return 4;
	if (letter === "u") return 6;
	if (letter === "U") return 10;
	return letter === "\n" || letter === "\r" || letter === undefined ? 0 : 2;
}
