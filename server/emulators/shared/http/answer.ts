import type { IncomingMessage, ServerResponse } from "node:http";

export interface Answer {
	status: number;
	contentType: string;
	body: string;
	headers?: Record<string, string>;
}

export function sendAnswer(response: ServerResponse, { status, contentType, body, headers = {} }: Answer): void {
	response.writeHead(status, { "content-type": contentType, "content-length": Buffer.byteLength(body), ...headers });
	response.end(body);
}

export function jsonAnswer(status: number, value: unknown): Answer {
	// These responses contain no money, so there is no bigint to serialize.
	return { status, contentType: "application/json", body: JSON.stringify(value) };
}

export function textAnswer(status: number, body: string, headers?: Record<string, string>): Answer {
	return { status, contentType: "text/plain", body, ...(headers ? { headers } : {}) };
}

/** The body as text, or null if it is longer than `maxBytes`. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string | null> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of request) {
		size += chunk.length;
		if (size <= maxBytes) chunks.push(chunk);
	}
	return size <= maxBytes ? Buffer.concat(chunks).toString("utf8") : null;
}

/** Whether the peer is this host. The server binds to loopback; this check also holds if someone forwards the port. */
export function isLoopbackAddress(address: string | undefined): boolean {
	return address !== undefined && (/^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address) || address === "::1");
}

/** A web page that resolves to loopback (DNS rebinding) still has its own name in Host. */
export function isLoopbackHost(host: string | undefined): boolean {
	return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host ?? "");
}
