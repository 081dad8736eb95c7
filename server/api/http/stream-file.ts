import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { RestAnswer, RestRequest } from "./route.ts";

/** Headers for a streamed CSV. */
export function csvHeaders(fileName: string): Record<string, string> {
	return {
		"content-type": "text/csv; charset=utf-8",
		"content-disposition": `attachment; filename="${fileName}"`,
		"cache-control": "no-store",
		"x-content-type-options": "nosniff",
	};
}

/** Sends a file no faster than it is read; a client that disconnects stops the reading. */
export async function streamCsv(
	{ response, signal }: RestRequest,
	file: { fileName: string; chunks: AsyncIterable<Uint8Array>; contentType?: string },
): Promise<RestAnswer> {
	response.writeHead(200, {
		...csvHeaders(file.fileName),
		...(file.contentType === undefined ? {} : { "content-type": file.contentType }),
	});
	try {
		await pipeline(Readable.from(file.chunks, { objectMode: false, highWaterMark: 1 }), response, { signal });
	} catch (error) {
		// The client has disconnected; any other error aborts the response, so that a partial file never looks complete.
		if (!signal.aborted && !response.destroyed) throw error;
		if (!signal.aborted && !isEarlyClose(error)) throw error;
	}
	return "streamed";
}

function isEarlyClose(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "ERR_STREAM_PREMATURE_CLOSE";
}
