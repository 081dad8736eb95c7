import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import parseRange from "range-parser";
import type { StoredFile } from "#server/services/work/artifact/open-file.ts";

/**
 * Sends a stored file, or one byte range of it (RFC 9110, 14); 416 for a range beyond it. A client that disconnects
 * stops the reading.
 */
export async function sendFile(request: IncomingMessage, response: ServerResponse, file: StoredFile, signal: AbortSignal): Promise<void> {
	if (file.redirect !== null) {
		response.writeHead(307, { location: file.redirect, "cache-control": "private, no-store", "content-length": 0 }).end();
		return;
	}
	const range = rangeOf(request.headers.range, file);
	if (range === "unsatisfiable") {
		response.writeHead(416, { "content-range": `bytes */${file.bytes}`, "content-length": 0 }).end();
		return;
	}
	const length = range ? range.end - range.start + 1 : file.bytes;
	response.writeHead(range ? 206 : 200, {
		"content-type": file.mediaType,
		"content-length": length,
		"accept-ranges": "bytes",
		etag: `"${file.sha256}"`,
		"content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
		"cache-control": "private, no-store",
		"x-content-type-options": "nosniff",
		...(range ? { "content-range": `bytes ${range.start}-${range.end}/${file.bytes}` } : {}),
	});
	try {
		await pipeline(file.read(range ?? undefined), response, { signal });
	} catch (error) {
		// A client that stops downloading is not a server failure.
		if (!signal.aborted && !response.destroyed) throw error;
	}
}

/** Null: the whole file. Multiple and malformed ranges return the whole file, as the RFC allows. */
function rangeOf(header: string | undefined, file: StoredFile): { start: number; end: number } | "unsatisfiable" | null {
	if (header === undefined) return null;
	const ranges = parseRange(file.bytes, header);
	if (ranges === -1) return "unsatisfiable";
	if (ranges === -2 || ranges.type !== "bytes" || ranges.length !== 1) return null;
	return ranges[0] ?? null;
}
