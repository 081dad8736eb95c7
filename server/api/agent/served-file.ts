import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { SpillwayError } from "#server/kernel/errors.ts";

/** sha256, in hex, of a file that machines download; included in their user data. */
export async function fileSha256(file: string): Promise<string> {
	const hash = createHash("sha256");
	await pipeline(createReadStream(file), hash);
	return hash.digest("hex");
}

/** @throws SpillwayError `unavailable` when the file is missing (not built yet) */
export async function fileResponse(file: string, contentType: string): Promise<Response> {
	const found = await stat(file).catch(() => null);
	if (!found?.isFile()) {
		throw new SpillwayError("unavailable", "The control plane does not have this file yet.", { fix: "Build it: npm run build." });
	}
	// Node's own web stream; the DOM type of the same object only differs in name.
	const body = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>;
	return new Response(body, {
		headers: { "content-type": contentType, "content-length": String(found.size), "cache-control": "no-store" },
	});
}
