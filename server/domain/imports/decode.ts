/**
 * Decodes a text file of unknown encoding: UTF-16 by its byte order mark, then UTF-8, and otherwise Windows-1252, the
 * most common of the rest. `encoding` is the one used.
 */
export function decodeScript(bytes: Uint8Array): { text: string; encoding: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252" } {
	if (bytes[0] === 0xff && bytes[1] === 0xfe) return { text: new TextDecoder("utf-16le").decode(bytes), encoding: "utf-16le" };
	if (bytes[0] === 0xfe && bytes[1] === 0xff) return { text: new TextDecoder("utf-16be").decode(bytes), encoding: "utf-16be" };
	try {
		return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), encoding: "utf-8" };
	} catch {
		return { text: new TextDecoder("windows-1252").decode(bytes), encoding: "windows-1252" };
	}
}
