import type { IncomingMessage } from "node:http";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { Door } from "./limits.ts";
import { scanJson } from "./scan-json.ts";

/**
 * Reads a body within the limits of its entry point: bytes, time, and for JSON its nesting and members.
 * @throws SpillwayError `payload_too_large`, `invalid_input` when it takes too long
 */
export async function readBody(req: IncomingMessage, door: Door): Promise<Buffer> {
	const mib = (bytes: number) => (bytes >= 1024 ** 2 ? `${bytes / 1024 ** 2} MiB` : `${bytes / 1024} KiB`);
	const tooLarge = () =>
		new SpillwayError("payload_too_large", `The body is larger than ${mib(door.bodyBytes)}.`, { fix: "Send it in smaller parts." });
	if (Number(req.headers["content-length"] ?? 0) > door.bodyBytes) throw tooLarge();
	const chunks: Buffer[] = [];
	let bytes = 0;
	const read = (async () => {
		for await (const chunk of req as AsyncIterable<Buffer>) {
			bytes += chunk.length;
			if (bytes > door.bodyBytes) throw tooLarge();
			chunks.push(chunk);
		}
	})();
	await withDeadline(read, door.bodyMs);
	const body = Buffer.concat(chunks);
	if (isJson(req.headers["content-type"], body)) scanJson(body, door.json);
	return body;
}

/** Bodies without a type are parsed as JSON too. */
function isJson(contentType: string | undefined, body: Buffer): boolean {
	return contentType === undefined || /json/i.test(contentType) || body[0] === 0x5b || body[0] === 0x7b;
}

async function withDeadline(work: Promise<void>, ms: number): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		const error = new SpillwayError("invalid_input", `The body did not arrive within ${ms / 1_000} s.`, {
			fix: "Send it faster, or in parts.",
		});
		timer = setTimeout(() => reject(error), ms);
	});
	await Promise.race([work, late]).finally(() => clearTimeout(timer));
	// After the deadline the stream fails on its own when the connection closes.
	work.catch(() => undefined);
}
