import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { badInput } from "./args.ts";

/** A file's text, gzipped or not. */
export async function readTextFile(file: string): Promise<string> {
	try {
		const bytes = await readFile(file);
		return (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("utf8");
	} catch (cause) {
		throw badInput(`${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`);
	}
}
