import { readFileSync } from "node:fs";
import http, { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";

/**
 * Runs on loopback between a cluster's driver and its API server, and streams both ways. The server itself responds to the
 * faults, so that a real one uses its own messages.
 */
export class UnluckyProxy {
	readonly #target: URL;
	readonly #ca: Buffer | undefined;
	readonly #server: http.Server;
	readonly #watches = new Set<ServerResponse>();
	#tokenIsGood = true;
	#aged = 0;
	/** Watches that the server rejected as too old (410). */
	expired = 0;
	/** Calls that it rejected for their token (401). */
	unauthorized = 0;

	private constructor(target: string, caFile: string | undefined) {
		this.#target = new URL(target);
		this.#ca = caFile === undefined ? undefined : readFileSync(caFile);
		this.#server = http.createServer((request, response) => this.#forward(request, response));
	}

	static async start({ server, caFile }: { server: string; caFile?: string | undefined }): Promise<UnluckyProxy> {
		const proxy = new UnluckyProxy(server, caFile);
		await new Promise<void>((resolve, reject) => proxy.#server.once("error", reject).listen(0, "127.0.0.1", resolve));
		return proxy;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
	}

	/** From now on the token is unknown to the server, as after its expiry, or valid again. */
	setToken({ isGood }: { isGood: boolean }): void {
		this.#tokenIsGood = isGood;
	}

	/** Ends the open watches; the next `count` resume from a position that the server has forgotten. */
	ageWatches(count: number): void {
		this.#aged = count;
		this.cutWatches();
	}

	cutWatches(): void {
		for (const response of this.#watches) response.destroy();
	}

	async stop(): Promise<void> {
		const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
		this.#server.closeAllConnections();
		await closed;
	}

	#forward(request: IncomingMessage, response: ServerResponse): void {
		const url = new URL(request.url ?? "/", this.#target);
		const isWatch = url.searchParams.get("watch") === "true";
		if (isWatch && this.#aged > 0) {
			this.#aged -= 1;
			url.searchParams.set("resourceVersion", "1");
		}
		const headers: OutgoingHttpHeaders = { ...request.headers, host: this.#target.host };
		if (!this.#tokenIsGood) headers["authorization"] = "Bearer of-yesterday";
		const tls = this.#target.protocol === "https:";
		const options = { method: request.method, headers, ...(this.#ca ? { ca: this.#ca } : {}) };
		const asked = (tls ? https : http).request(url, options, (answer) => {
			if (answer.statusCode === 401) this.unauthorized += 1;
			if (isWatch) {
				this.#watches.add(response);
				answer.on("data", (chunk: Buffer) => {
					if (chunk.includes('"code":410')) this.expired += 1;
				});
			}
			response.writeHead(answer.statusCode ?? 502, answer.headers);
			response.flushHeaders();
			answer.pipe(response);
			answer.once("error", () => response.destroy());
		});
		asked.once("error", () => response.destroy());
		response.once("close", () => {
			this.#watches.delete(response);
			asked.destroy();
		});
		request.pipe(asked);
	}
}
