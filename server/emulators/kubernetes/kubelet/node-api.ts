import http from "node:http";
import https from "node:https";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

export interface ApiAddress {
	url: string;
	token: string;
}

/** The kubelets' calls to an API server: the emulated one, or a real one on this host with its own certificate. */
export class NodeApi {
	readonly #address: ApiAddress;
	readonly #agent: http.Agent;
	readonly #ended = new AbortController();

	constructor(address: ApiAddress) {
		this.#address = address;
		const options = { keepAlive: true, maxSockets: 16 };
		// Loopback only, with a certificate created by the test's own control plane.
		this.#agent = address.url.startsWith("https:") ? new https.Agent({ ...options, rejectUnauthorized: false }) : new http.Agent(options);
	}

	/** Status and body; the body is null if it is not JSON. */
	async call(method: string, path: string, body?: unknown, contentType = "application/json"): Promise<{ status: number; body: unknown }> {
		const response = await this.#request(method, path, body, contentType);
		let text = "";
		for await (const chunk of response) text += String(chunk);
		return { status: response.statusCode ?? 0, body: text.startsWith("{") ? JSON.parse(text) : null };
	}

	/** Retries until the call is accepted or clearly rejected: a node's updates must not be lost over a restart of the server. */
	async insist(method: string, path: string, body?: unknown, contentType?: string): Promise<number> {
		while (!this.#ended.signal.aborted) {
			const answer = await this.call(method, path, body, contentType).catch(() => null);
			if (answer && answer.status < 500 && answer.status !== 429) return answer.status;
			await sleep(100, undefined, { signal: this.#ended.signal }).catch(() => {});
		}
		return 0;
	}

	/** Watches every object of a path until it is closed. */
	async follow(path: string, take: (type: string, object: unknown) => void): Promise<void> {
		while (!this.#ended.signal.aborted) {
			try {
				const { body } = await this.call("GET", path);
				const list = body as { metadata: { resourceVersion: string }; items: unknown[] };
				for (const item of list.items) take("ADDED", item);
				const query = `watch=1&allowWatchBookmarks=true&resourceVersion=${list.metadata.resourceVersion}`;
				const response = await this.#request("GET", `${path}${path.includes("?") ? "&" : "?"}${query}`);
				for await (const line of createInterface(response)) {
					const event = JSON.parse(line) as { type: string; object: unknown };
					if (event.type === "ERROR") break;
					if (event.type !== "BOOKMARK") take(event.type, event.object);
				}
			} catch {
				// Lists the objects again.
			}
			await sleep(50, undefined, { signal: this.#ended.signal }).catch(() => {});
		}
	}

	close(): void {
		this.#ended.abort();
		this.#agent.destroy();
	}

	#request(method: string, path: string, body?: unknown, contentType = "application/json"): Promise<http.IncomingMessage> {
		const { url, token } = this.#address;
		const text = body === undefined ? null : JSON.stringify(body);
		const headers = {
			authorization: `Bearer ${token}`,
			...(text === null ? {} : { "content-type": contentType, "content-length": Buffer.byteLength(text) }),
		};
		return new Promise((resolve, reject) => {
			const make = url.startsWith("https:") ? https.request : http.request;
			const request = make(`${url}${path}`, { method, headers, agent: this.#agent, signal: this.#ended.signal }, resolve);
			request.on("error", reject);
			request.end(text ?? undefined);
		});
	}
}
