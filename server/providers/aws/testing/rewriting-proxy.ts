import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** Stands between driver and endpoint and rewrites answers, for the contract's cases about malformed ones. */
export async function startRewritingProxy(
	target: string,
): Promise<{ url: string; rewrite: (by: (xml: string) => string) => void; stop: () => Promise<void> }> {
	let rewriteAnswer = (xml: string): string => xml;
	const server = createServer((request, response) => {
		forward(target, request, response, (xml) => rewriteAnswer(xml)).catch(() => request.socket.destroy());
	});
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
	rewrite: (xml: string) => string,
): Promise<void> {
	const body: Buffer[] = [];
	for await (const chunk of request) body.push(chunk as Buffer);
	const answer = await fetch(`${target}${request.url ?? "/"}`, {
		method: request.method ?? "POST",
		headers: { authorization: request.headers.authorization ?? "", "content-type": request.headers["content-type"] ?? "" },
		body: Buffer.concat(body),
	});
	const xml = rewrite(await answer.text());
	response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/xml" });
	response.end(xml);
}
