import { createServer, type IncomingMessage, type Server } from "node:http";
import { type Answer, isLoopbackAddress, isLoopbackHost, sendAnswer, textAnswer } from "./answer.ts";

export interface LoopbackServer {
	url: string;
	port: number;
	close(): Promise<void>;
}

const IDLE_MS = 120_000;

/**
 * Serves one address of this host to this host alone. `answer` gives null where the connection must be cut without
 * an answer; `endpointName` names the endpoint to somebody else who asks.
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
	// A request on a connection that is closed at that moment for idleness is lost, and Google's client does not repeat it.
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
