import { createServer, type Server } from "node:http";
import { canScrape } from "./health.ts";

const TEXT = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };
const JSON_TYPE = { "content-type": "application/json" };

/**
 * HTTP endpoints of a scheduler, without sign-in: /healthz (200 while the process is alive), /readyz (200 when the
 * database responds; a standby is ready too) and /metrics (Prometheus, of this process).
 */
export function listenForProbes(options: {
	host: string;
	port: number;
	/** Rejects when the database does not respond. */
	askDatabase: () => Promise<unknown>;
	instance: string;
	metricsToken: string | undefined;
	metrics: () => Promise<string>;
	onError: (error: Error) => void;
}): Server {
	const server = createServer((req, res) => {
		const path = (req.url ?? "").split("?")[0];
		if (path === "/healthz") return void res.writeHead(200, JSON_TYPE).end('{"status":"ok"}');
		if (path === "/metrics" && !canScrape(options.metricsToken, req.headers.authorization)) return void res.writeHead(401).end();
		if (path === "/metrics")
			return void options.metrics().then(
				(text) => res.writeHead(200, TEXT).end(text),
				() => res.writeHead(500).end(),
			);
		if (path !== "/readyz") return void res.writeHead(404).end();
		options.askDatabase().then(
			() => res.writeHead(200, JSON_TYPE).end(JSON.stringify({ status: "ready", instance: options.instance })),
			() => res.writeHead(503, JSON_TYPE).end(JSON.stringify({ status: "not ready", why: "the database does not answer" })),
		);
	});
	server.on("error", options.onError);
	server.listen(options.port, options.host);
	return server;
}
