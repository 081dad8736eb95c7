/** Longer lines are split into pieces of this size, so that one line cannot fill the memory or the database. */
export const LOG_LINE_BYTES_MAX = 16 * 1024;

const NEWLINE = 0x0a;

/**
 * Takes the complete lines from the start of a chunk of a log stream. The rest begins at `usedBytes` and is read again when more
 * has arrived. With `atEnd`, the unfinished rest counts as a line too. Invalid UTF-8 and NUL characters (which PostgreSQL cannot
 * store) become U+FFFD; a "\r" at the end of a line is dropped.
 */
export function takeLines(chunk: Uint8Array, options: { atEnd: boolean; lineBytesMax?: number }): { lines: string[]; usedBytes: number } {
	const lineBytesMax = options.lineBytesMax ?? LOG_LINE_BYTES_MAX;
	const lines: string[] = [];
	let from = 0;
	while (from < chunk.length) {
		const newline = chunk.indexOf(NEWLINE, from);
		const end = newline === -1 ? chunk.length : newline;
		if (end - from > lineBytesMax) {
			const cut = characterStart(chunk, from + lineBytesMax, from);
			lines.push(decode(chunk.subarray(from, cut)));
			from = cut;
		} else if (newline !== -1) {
			lines.push(decode(chunk.subarray(from, newline)));
			from = newline + 1;
		} else if (options.atEnd) {
			lines.push(decode(chunk.subarray(from)));
			from = chunk.length;
		} else {
			break;
		}
	}
	return { lines, usedBytes: from };
}

/** The nearest position at or before `at` where a UTF-8 character begins; `at` itself if there is none within reach. */
function characterStart(bytes: Uint8Array, at: number, from: number): number {
	for (let i = at; i > from && i > at - 4; i--) {
		if (((bytes[i] ?? 0) & 0xc0) !== 0x80) return i;
	}
	return at;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function decode(bytes: Uint8Array): string {
	const text = decoder.decode(bytes).replaceAll("\u0000", "\uFFFD");
	return text.endsWith("\r") ? text.slice(0, -1) : text;
}
