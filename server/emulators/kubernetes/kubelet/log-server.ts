import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { type Container, type LogEntry, stamp } from "./container.ts";

/**
 * The address of a node at which the API server reads container logs: `/containerLogs/<namespace>/<pod>/<container>`. A real API
 * server uses TLS.
 */
export async function serveLogs(
	find: (namespace: string, pod: string) => Container | null,
	tls: { key: string; cert: string } | null,
): Promise<{ port: number; close(): void }> {
	const answer: http.RequestListener = (request, response) => {
		const url = new URL(request.url ?? "/", "http://node");
		const [, , namespace = "", pod = ""] = url.pathname.split("/");
		const container = find(namespace, pod);
		if (!container) {
			response.writeHead(404).end(`the log of pod ${namespace}/${pod} is not here`);
			return;
		}
		response.writeHead(200, { "content-type": "text/plain" });
		response.flushHeaders();
		const since = Date.parse(url.searchParams.get("sinceTime") ?? "");
		const sinceNs = Number.isNaN(since) ? 0n : BigInt(since) * 1_000_000n;
		const timestamps = url.searchParams.get("timestamps") === "true";
		const write = ({ ns, text, whole }: LogEntry) => {
			if (ns >= sinceNs) response.write(`${timestamps ? `${stamp(ns)} ` : ""}${text}${whole ? "\n" : ""}`);
		};
		for (const entry of container.log) write(entry);
		if (url.searchParams.get("follow") !== "true" || container.exitCode !== null) {
			response.end();
			return;
		}
		const end = () => response.end();
		container.on("line", write).once("exit", end);
		response.on("close", () => container.off("line", write).off("exit", end));
	};
	const server = tls ? https.createServer(tls, answer) : http.createServer(answer);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		port: (server.address() as AddressInfo).port,
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}
