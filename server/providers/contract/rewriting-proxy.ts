import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface RewritingProxy {
	url: string;
	/** From now on response bodies pass through `by`. */
	rewrite(by: (body: string) => string): void;
	stop(): Promise<void>;
}

/** Headers that belong to one connection, or to a body that is rewritten. */
const OWN_HEADERS = new Set(["connection", "content-encoding", "content-length", "host", "keep-alive", "transfer-encoding"]);

/** Longer than a test, so that no request uses a connection that is being closed as idle. */
const IDLE_MS = 120_000;

/** Runs between a cloud driver and its endpoint and rewrites responses, for the contract's cases about malformed ones. */
export async function startRewritingProxy(target: string): Promise<RewritingProxy> {
	let rewriteAnswer = (body: string): string => body;
	const server = createServer((request, response) => {
		forward(target, request, response, (body) => rewriteAnswer(body)).catch(() => request.socket.destroy());
	});
	server.keepAliveTimeout = IDLE_MS;
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	if (typeof address !== "object" || address === null) throw new Error("the proxy has no port");
	return {
		url: `http://127.0.0.1:${address.port}`,
		rewrite: (by) => {
			rewriteAnswer = by;
		},
		stop: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

async function forward(
	target: string,
	request: IncomingMessage,
	response: ServerResponse,
	rewrite: (body: string) => string,
): Promise<void> {
	const body: Buffer[] = [];
	for await (const chunk of request) body.push(chunk as Buffer);
	const method = request.method ?? "POST";
	const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
		OWN_HEADERS.has(name) || value === undefined ? [] : [[name, String(value)]],
	);
	const hasBody = method !== "GET" && method !== "HEAD";
	const answer = await fetch(`${target}${request.url ?? "/"}`, { method, headers, ...(hasBody ? { body: Buffer.concat(body) } : {}) });
	const text = rewrite(await answer.text());
	response.writeHead(answer.status, Object.fromEntries([...answer.headers].filter(([name]) => !OWN_HEADERS.has(name))));
	response.end(text);
}
