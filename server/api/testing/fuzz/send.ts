import { Agent, request } from "node:http";
import type { FuzzRequest } from "./requests.ts";

export interface FuzzReply {
	status: number;
	headers: Record<string, string | string[] | undefined>;
	text: string;
}

/** Only for requests that never complete; a busy machine takes seconds. */
const HANG_MS = 60_000;
const STREAMS = /x-ndjson|event-stream/;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/**
 * Sends a request. For a stream, reads only the headers.
 * @throws Error without a response within a minute, or when the connection breaks
 */
export function send(base: URL, { method, path, headers, body }: FuzzRequest): Promise<FuzzReply> {
	return new Promise((resolve, reject) => {
		const length = body === null ? {} : { "content-length": String(Buffer.byteLength(body)) };
		const req = request({
			host: base.hostname,
			port: base.port,
			method,
			path,
			headers: { ...headers, ...length },
			agent,
			timeout: HANG_MS,
		});
		req.on("timeout", () => req.destroy(new Error("no answer within a minute")));
		req.on("error", reject);
		req.on("response", (res) => {
			const reply = { status: res.statusCode ?? 0, headers: res.headers };
			if (STREAMS.test(res.headers["content-type"] ?? "")) {
				resolve({ ...reply, text: "" });
				return req.destroy();
			}
			const chunks: Buffer[] = [];
			res.on("data", (chunk: Buffer) => chunks.push(chunk));
			res.on("end", () => resolve({ ...reply, text: Buffer.concat(chunks).toString("utf8") }));
			res.on("error", reject);
		});
		req.end(body ?? undefined);
	});
}

export function closeConnections(): void {
	agent.destroy();
}
