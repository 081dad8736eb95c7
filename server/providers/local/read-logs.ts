import { open } from "node:fs/promises";
import { LOG_LINE_BYTES_MAX, takeLines } from "#server/agent/log-lines.ts";
import type { LogCursor, LogLine } from "../driver.ts";
import { type AttemptFolder, isMissing } from "./attempt-folder.ts";

/** A smaller read could not hold a character and its newline. */
const STREAM_BYTES_MIN = 16;

/**
 * Lines of both streams from the cursor on; each stream gets half of `maxBytes`. With `ended`, an unterminated last line counts
 * as a line too.
 */
export async function readLogFiles(
	paths: AttemptFolder,
	cursor: LogCursor,
	options: { maxBytes: number; ended: boolean; atMs: number },
): Promise<{ lines: LogLine[]; cursor: LogCursor }> {
	const budget = Math.max(STREAM_BYTES_MIN, Math.floor(options.maxBytes / 2));
	const lineBytesMax = Math.min(LOG_LINE_BYTES_MAX, budget - 1);
	const next = { ...cursor };
	const lines: LogLine[] = [];
	for (const stream of ["stdout", "stderr"] as const) {
		const chunk = await readChunk(paths[stream], cursor[stream], budget);
		const taken = takeLines(chunk, { atEnd: options.ended && chunk.length < budget, lineBytesMax });
		next[stream] += taken.usedBytes;
		for (const text of taken.lines) lines.push({ atMs: options.atMs, stream, text });
	}
	return { lines, cursor: next };
}

async function readChunk(file: string, from: number, bytes: number): Promise<Uint8Array> {
	try {
		const handle = await open(file, "r");
		try {
			const buffer = Buffer.alloc(bytes);
			let filled = 0;
			while (filled < bytes) {
				const { bytesRead } = await handle.read(buffer, filled, bytes - filled, from + filled);
				if (bytesRead === 0) break;
				filled += bytesRead;
			}
			return buffer.subarray(0, filled);
		} finally {
			await handle.close();
		}
	} catch (error) {
		if (isMissing(error)) return new Uint8Array();
		throw error;
	}
}
