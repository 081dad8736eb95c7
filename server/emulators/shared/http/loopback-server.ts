import { createServer, type IncomingMessage, type Server } from "node:http";
import { type Answer, isLoopbackAddress, isLoopbackHost, sendAnswer, textAnswer } from "./answer.ts";

export interface LoopbackServer {
	url: string;
	port: number;
	close(): Promise<void>;
}

const IDLE_MS = 120_000;

/**
 * Serves one address of this host, only to this host. `answer` returns null if the connection must be cut without a response.
 * `endpointName` names the endpoint in the error for other callers.
 */
export async function serveLoopback(
	options: { port: number; host: string; endpointName: string; log: (line: string) => void },
	answer: (request: IncomingMessage, path: string) => Answer | null | Promise<Answer | null>,
): Promise<LoopbackServer> {
	const { host, endpointName, log } = options;
	const server = createServer(async (request, response) => {
		try {
			const reply = isFromHere(request) ? await answer(request, pathOf(request)) : notHere(endpointName);
			if (reply) sendAnswer(response, reply);
			else request.socket.destroy();
		} catch (error) {
			log(`${request.method} ${request.url} failed: ${String(error)}`);
			request.socket.destroy();
		}
	});
	// A request on a connection that is being closed as idle is lost, and Google's client does not retry it.
	server.keepAliveTimeout = IDLE_MS;
	const port = await listen(server, options.port, host);
	return {
		url: `http://${host}:${port}`,
		port,
		async close() {
			const closed = new Promise<void>((resolve) => server.close(() => resolve()));
			server.closeAllConnections();
			await closed;
		},
	};
}

function isFromHere(request: IncomingMessage): boolean {
	return isLoopbackAddress(request.socket.remoteAddress) && isLoopbackHost(request.headers.host);
}

function pathOf(request: IncomingMessage): string {
	return (request.url ?? "/").replace(/\?.*/, "");
}

function notHere(endpointName: string): Answer {
	return textAnswer(403, `The ${endpointName} answers this host only.\n`);
}

function listen(server: Server, port: number, host: string): Promise<number> {
	return new Promise((resolve, reject) => {
		server.once("error", reject);
		server.listen(port, host, () => {
			server.off("error", reject);
			const address = server.address();
			resolve(typeof address === "object" && address ? address.port : port);
		});
	});
}
