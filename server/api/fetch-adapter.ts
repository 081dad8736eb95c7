import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";

/** Handles a Node request with a function from Request to Response; bodies are streamed both ways. */
export async function serveFetch(
	handler: (request: Request) => Promise<Response>,
	req: IncomingMessage,
	res: ServerResponse,
): Promise<void> {
	const gone = new AbortController();
	res.once("close", () => gone.abort());
	const headers = new Headers();
	for (const [name, value] of Object.entries(req.headers)) if (typeof value === "string") headers.set(name, value);
	const method = req.method ?? "GET";
	const hasBody = method !== "GET" && method !== "HEAD";
	const init: RequestInit & { duplex?: "half" } = { method, headers, signal: gone.signal };
	if (hasBody) {
		init.body = Readable.toWeb(req) as ReadableStream<Uint8Array> as unknown as NonNullable<RequestInit["body"]>;
		init.duplex = "half";
	}
	const request = new Request(`http://${req.headers.host ?? "localhost"}${req.url ?? "/"}`, init);
	const response = await handler(request);
	res.writeHead(response.status, Object.fromEntries(response.headers));
	if (!response.body) {
		res.end();
		return;
	}
	await pipeline(Readable.fromWeb(response.body as ReadableStream<Uint8Array>), res).catch((error: unknown) => {
		if (!gone.signal.aborted) throw error;
	});
}
