import { SpillwayError } from "#server/kernel/errors.ts";

export interface JsonBounds {
	/** Nested arrays and objects. */
	depth: number;
	/** Object members and array elements together. */
	members: number;
	/** Members of one object: a wide one is slow to validate long after it is parsed. */
	keys: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/**
 * Checks nesting and size of a JSON text before it is parsed: one pass over the bytes, with one counter per level. It
 * does not validate; invalid JSON fails in the parser.
 * @throws SpillwayError `payload_too_large`
 */
export function scanJson(text: Uint8Array, { depth, members, keys }: JsonBounds): void {
	const keysAt = new Uint32Array(depth + 1);
	let nesting = 0;
	let count = 0;
	for (let i = 0; i < text.length; i++) {
		const byte = text[i];
		if (byte === QUOTE) {
			i = endOfString(text, i);
		} else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
			if (++nesting > depth) throw tooLarge(`The JSON is nested more than ${depth} levels deep.`);
			keysAt[nesting] = 0;
			count++;
		} else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
			nesting--;
		} else if (byte === COMMA || byte === COLON) {
			count++;
			// Outside strings, a colon only follows the key of an object.
			if (byte === COLON) {
				const own = (keysAt[nesting] ?? 0) + 1;
				if (own > keys) throw tooLarge(`An object in the JSON has more than ${keys} members.`);
				keysAt[nesting] = own;
			}
		}
		if (count > members) throw tooLarge(`The JSON has more than ${members} members.`);
	}
}

/** Index of the closing quote, or the end of the text. */
function endOfString(text: Uint8Array, start: number): number {
	let i = start + 1;
	while (i < text.length && text[i] !== QUOTE) i += text[i] === BACKSLASH ? 2 : 1;
	return i;
}

function tooLarge(message: string): SpillwayError {
	return new SpillwayError("payload_too_large", message, { fix: "Send it in smaller parts." });
}
