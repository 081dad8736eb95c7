import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CliError, EXIT } from "./exit.ts";
import type { Io } from "./io.ts";

/**
 * Writes a response of any length to a file, or to stdout without one. The file is written under a temporary name and
 * renamed at the end, so that an incomplete file never has its name.
 */
export async function saveStream(io: Io, chunks: AsyncIterable<Uint8Array>, file: string | undefined): Promise<void> {
	if (file === undefined || file === "-") return print(io, chunks);
	const at = path.resolve(io.cwd, file);
	const part = `${at}.part`;
	let bytes = 0;
	const counted = (async function* () {
		for await (const chunk of chunks) {
			bytes += chunk.length;
			yield chunk;
		}
	})();
	try {
		await pipeline(Readable.from(counted), createWriteStream(part));
		await rename(part, at);
	} catch (error) {
		await rm(part, { force: true });
		if (error instanceof CliError) throw error;
		throw new CliError(EXIT.badInput, `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
	}
	io.err(`${file}: ${bytes} bytes\n`);
}

async function print(io: Io, chunks: AsyncIterable<Uint8Array>): Promise<void> {
	const decoder = new TextDecoder();
	for await (const chunk of chunks) {
		io.out(decoder.decode(chunk, { stream: true }));
		await io.drained?.();
	}
	io.out(decoder.decode());
}
