import { OPERATIONS, type Operations } from "./operations.ts";
import type { Problem } from "./types.ts";

export type OperationId = keyof Operations;
/** Operations with a response of NDJSON lines. */
export type LinesId = { [Id in OperationId]: Operations[Id] extends { line: unknown } ? Id : never }[OperationId];
/** Operations that can respond with a file. */
export type FileId = { [Id in OperationId]: Operations[Id] extends { file: true } ? Id : never }[OperationId];
export type Arguments<Id extends OperationId> = Operations[Id]["arguments"];
export type Answer<Id extends OperationId> = Operations[Id]["answer"];
export type Line<Id extends LinesId> = Operations[Id] extends { line: infer L } ? L : never;

export interface ClientOptions {
	/** Address of Spillway, for example https://spillway.example.com */
	url: string;
	token: string;
	/** Replaces the global one. */
	fetch?: typeof fetch;
	/** Maximum wait for a response that is not a stream, ms. Default: 60,000. */
	timeoutMs?: number;
}

/** The server rejected the request. `problem.fix` says what to do. */
export class ApiError extends Error {
	readonly status: number;
	readonly problem: Problem;
	constructor(status: number, problem: Problem) {
		super([problem.detail, problem.fix].filter(Boolean).join(" "));
		this.name = "ApiError";
		this.status = status;
		this.problem = problem;
	}
}

const PREFIX = "/api/v1";
const TIMEOUT_MS = 60_000;

/** Calls Spillway's REST API with fetch. */
export class SpillwayClient {
	readonly #options: ClientOptions;

	constructor(options: ClientOptions) {
		this.#options = { ...options, url: options.url.replace(/\/+$/, "") };
	}

	/**
	 * Calls an operation: `client.call("job.get", { id })`. Retries a broken connection if that is safe.
	 * @throws ApiError when the server rejects it; TypeError when the server cannot be reached
	 */
	async call<Id extends OperationId>(id: Id, given: Arguments<Id>): Promise<Answer<Id>> {
		const { method, isRepeatable } = OPERATIONS[id];
		const key = isRepeatable ? crypto.randomUUID() : null;
		const send = () => this.#send(id, given, key, AbortSignal.timeout(this.#options.timeoutMs ?? TIMEOUT_MS));
		const response = await send().catch((error: unknown) => {
			if (error instanceof TypeError && (isRepeatable || method === "GET")) return send();
			throw error;
		});
		return (await response.json()) as Answer<Id>;
	}

	/**
	 * Lines of a response as they arrive: `client.lines("job.readLogs", { id, follow: true })`.
	 * @throws as `call`
	 */
	async *lines<Id extends LinesId>(id: Id, given: Arguments<Id>, signal?: AbortSignal): AsyncGenerator<Line<Id>> {
		const response = await this.#send(id, given, null, signal ?? null);
		const decoder = new TextDecoder();
		let rest = "";
		for await (const chunk of response.body ?? []) {
			const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
			rest = parts.pop() ?? "";
			for (const part of parts) yield JSON.parse(part) as Line<Id>;
		}
		if (rest !== "") throw new TypeError("The answer ended early.");
	}

	/**
	 * A response that is a file: `client.file("artifact.download", { id, path })`.
	 * @throws as `call`
	 */
	file<Id extends FileId>(id: Id, given: Arguments<Id>, signal?: AbortSignal): Promise<Response> {
		return this.#send(id, given, null, signal ?? null);
	}

	async #send(
		id: OperationId,
		given: Readonly<Record<string, unknown>>,
		key: string | null,
		signal: AbortSignal | null,
	): Promise<Response> {
		const { url, token } = this.#options;
		const { method, path, query, textType } = OPERATIONS[id];
		const { body, type } = encode(given.body, textType);
		const response = await (this.#options.fetch ?? fetch)(`${url}${PREFIX}${filled(path, given)}${queryText(query, given)}`, {
			...{ method, signal, redirect: "error" as const },
			headers: {
				authorization: `Bearer ${token}`,
				...(key !== null && { "idempotency-key": key }),
				...(type !== null && { "content-type": type }),
			},
			...(body !== undefined && { body }),
		});
		if (response.ok) return response;
		throw new ApiError(response.status, problemOf(await response.text(), response.status));
	}
}

const filled = (path: string, given: Readonly<Record<string, unknown>>): string =>
	path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(given[name])));

function queryText(names: readonly string[], given: Readonly<Record<string, unknown>>): string {
	const query = new URLSearchParams();
	for (const name of names) {
		const value = given[name];
		if (value === undefined || value === null) continue;
		for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
	}
	return query.size === 0 ? "" : `?${query}`;
}

function encode(body: unknown, textType: string | null): { body: BodyInit | undefined; type: string | null } {
	if (body === undefined) return { body: undefined, type: null };
	const isText = typeof body === "string" && textType !== null;
	if (isText || body instanceof Blob || body instanceof Uint8Array) return { body: body as BodyInit, type: textType };
	return { body: JSON.stringify(body), type: "application/json" };
}

function problemOf(text: string, status: number): Problem {
	try {
		return JSON.parse(text) as Problem;
	} catch {
		const detail = `The server answered with status ${status}, and not as Spillway does.`;
		return { type: "about:blank", title: "Unknown answer", status, detail, code: "unknown", requestId: "" };
	}
}
