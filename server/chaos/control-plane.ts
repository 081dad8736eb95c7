import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** Whether a call is handled and answered, or the call or its response is lost. */
export type Verdict = "answer" | "lose";

/** One agent call, as observed by the run. */
export interface AgentCall {
	/** enroll, logs, commit … */
	name: string;
	token: string | null;
	/** The enrolling instance; null for every other call. */
	enrolling: string | null;
}

export interface ControlPlaneOptions {
	handler: (request: Request) => Promise<Response>;
	/** Called before and after each call is handled. */
	onCall(when: "before" | "after", call: AgentCall): Promise<Verdict>;
}

/** The control plane's agent API on a real port; it can be made unavailable for a while. */
export class ControlPlane {
	readonly #options: ControlPlaneOptions;
	#server: Server | null = null;
	#port = 0;

	constructor(options: ControlPlaneOptions) {
		this.#options = options;
	}

	get url(): string {
		return `http://127.0.0.1:${this.#port}`;
	}

	/** Serializes start and stop: a server closed before it listens never reports that it listens. */
	#changed: Promise<void> = Promise.resolve();

	start(): Promise<void> {
		return this.#change(() => this.#start());
	}

	stop(): Promise<void> {
		return this.#change(() => this.#stop());
	}

	#change(work: () => Promise<void>): Promise<void> {
		const next = this.#changed.then(work);
		this.#changed = next.catch(() => {});
		return next;
	}

	async #start(): Promise<void> {
		if (this.#server) return;
		const server = createServer((incoming, outgoing) => void this.#answer(incoming, outgoing).catch(() => incoming.socket.destroy()));
		this.#server = server;
		await new Promise<void>((resolve, reject) => {
			server.once("error", reject);
			server.listen(this.#port, "127.0.0.1", resolve);
		});
		this.#port = (server.address() as AddressInfo).port;
	}

	async #stop(): Promise<void> {
		const server = this.#server;
		this.#server = null;
		if (server === null) return;
		await new Promise<void>((resolve) => {
			server.close(() => resolve());
			server.closeAllConnections();
		});
	}

	async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
		const name = nameOf(incoming);
		const token = /^Bearer (.+)$/.exec(incoming.headers.authorization ?? "")?.[1] ?? null;
		const request = requestOf(incoming);
		const call = { name, token, enrolling: name === "enroll" ? await instanceIn(request.clone()) : null };
		if ((await this.#options.onCall("before", call)) === "lose") return void incoming.socket.destroy();
		const response = await this.#options.handler(request);
		if ((await this.#options.onCall("after", call)) === "lose") return void incoming.socket.destroy();
		outgoing.writeHead(response.status, Object.fromEntries(response.headers));
		if (response.body === null) return void outgoing.end();
		await pipeline(Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]), outgoing);
	}
}

function nameOf({ url = "", method }: IncomingMessage): string {
	const [name = "", , last] = url.replace("/agent/v1/", "").split("/");
	if (name !== "checkpoints" || last === undefined) return name;
	return last === "commit" ? "commit" : `${method === "PUT" ? "put" : "get"}`;
}

async function instanceIn(request: Request): Promise<string | null> {
	const { instanceId } = (await request.json()) as { instanceId?: unknown };
	return typeof instanceId === "string" ? instanceId : null;
}

function requestOf(incoming: IncomingMessage): Request {
	const hasBody = incoming.method !== "GET" && incoming.method !== "HEAD";
	const init: RequestInit & { duplex: "half" } = {
		method: incoming.method ?? "GET",
		headers: new Headers(Object.entries(incoming.headers).map(([k, v]): [string, string] => [k, String(v)])),
		body: hasBody ? (Readable.toWeb(incoming) as ReadableStream<Uint8Array>) : null,
		duplex: "half",
	};
	return new Request(`http://control${incoming.url}`, init);
}
