import { randomUUID } from "node:crypto";
import { z } from "zod";
import { CliError, EXIT, exitOfStatus, oneLine } from "./exit.ts";
import type { Settings } from "./settings.ts";

const PREFIX = "/api/v1";
/** Longer than any response takes; a stream has no limit. */
const ANSWER_LIMIT_MS = 60_000;

const problemSchema = z.looseObject({
	detail: z.string(),
	fix: z.string().optional(),
	fields: z.array(z.looseObject({ path: z.string(), message: z.string() })).optional(),
});
export type Problem = z.infer<typeof problemSchema>;

/** The server rejected the request. `problem` is its problem document. */
export class ApiError extends CliError {
	readonly status: number;
	readonly problem: Problem;
	constructor(status: number, problem: Problem, tokenSource: string) {
		const where = status === 401 ? ` (token: ${tokenSource})` : "";
		super(exitOfStatus(status), `${problem.detail}${where}${problem.fix === undefined ? "" : ` ${problem.fix}`}`);
		this.status = status;
		this.problem = problem;
	}
}

/** The server was unreachable, or the connection broke. */
export class UnreachableError extends CliError {
	constructor(message: string, options?: { cause: unknown }) {
		super(EXIT.server, message, options);
	}
}

export interface Answer {
	/** As the server sent it. */
	text: string;
	json: unknown;
}

export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** REST client. Retries broken connections; writes carry an Idempotency-Key, so that this is safe. */
export class Client {
	readonly #settings: Settings;
	readonly #signal: AbortSignal;
	constructor(settings: Settings, signal: AbortSignal) {
		this.#settings = settings;
		this.#signal = signal;
	}

	get(path: string, query: Query = {}): Promise<Answer> {
		return this.#twice(() => this.#ask("GET", path, query, undefined, {}));
	}

	post(path: string, body?: unknown): Promise<Answer> {
		const headers = { "idempotency-key": randomUUID() };
		return this.#twice(() => this.#ask("POST", path, {}, body, headers));
	}

	patch(path: string, body: unknown): Promise<Answer> {
		const headers = { "idempotency-key": randomUUID() };
		return this.#twice(() => this.#ask("PATCH", path, {}, body, headers));
	}

	delete(path: string): Promise<Answer> {
		const headers = { "idempotency-key": randomUUID() };
		return this.#twice(() => this.#ask("DELETE", path, {}, undefined, headers));
	}

	put(path: string, body: unknown, condition: Record<string, string> = {}): Promise<Answer> {
		const headers = { "idempotency-key": randomUUID(), ...condition };
		return this.#twice(() => this.#ask("PUT", path, {}, body, headers));
	}

	/**
	 * A response that is a file.
	 * @throws UnreachableError when the connection breaks
	 */
	async file(path: string, query: Query): Promise<Buffer> {
		const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(ANSWER_LIMIT_MS)]);
		const response = await this.#fetch("GET", path, query, undefined, {}, signal);
		if (!response.ok) throw this.#refusal(response.status, await response.text());
		try {
			return Buffer.from(await response.arrayBuffer());
		} catch (error) {
			throw this.#broken(error);
		}
	}

	/**
	 * A response of any length, streamed.
	 * @throws UnreachableError when the connection breaks
	 */
	async *bytes(path: string, query: Query, headers: Record<string, string> = {}): AsyncGenerator<Uint8Array> {
		const response = await this.#fetch("GET", path, query, undefined, headers, this.#signal);
		if (!response.ok) throw this.#refusal(response.status, await response.text());
		try {
			yield* response.body ?? [];
		} catch (error) {
			throw this.#broken(error);
		}
	}

	/** Sends a file of any size. Must be safe to repeat, since a response may get lost. */
	async upload(path: string, query: Query, file: ReadableStream<Uint8Array>, contentType: string): Promise<Answer> {
		const { url, token } = this.#settings;
		let response: Response;
		try {
			response = await fetch(`${url}${PREFIX}${path}${queryText(query)}`, {
				...{ method: "POST", signal: this.#signal, redirect: "error", body: file },
				headers: { "content-type": contentType, ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
				// Required for a streamed body; missing from the browser's types.
				...{ duplex: "half" },
			});
		} catch (error) {
			throw this.#broken(error);
		}
		const text = await response.text();
		if (!response.ok) throw this.#refusal(response.status, text);
		return { text, json: JSON.parse(text) };
	}

	/**
	 * Lines of an NDJSON response as they arrive.
	 * @throws UnreachableError when the connection breaks
	 */
	async *lines(path: string, query: Query, post?: { body: unknown }): AsyncGenerator<string> {
		const response = await this.#fetch(post ? "POST" : "GET", path, query, post?.body, {}, this.#signal);
		if (!response.ok) throw this.#refusal(response.status, await response.text());
		const decoder = new TextDecoder();
		let rest = "";
		try {
			for await (const chunk of response.body ?? []) {
				const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
				rest = parts.pop() ?? "";
				yield* parts;
			}
		} catch (error) {
			throw this.#broken(error);
		}
		if (rest !== "") throw this.#broken(new Error("the last line is incomplete"));
	}

	async #twice(ask: () => Promise<Answer>): Promise<Answer> {
		try {
			return await ask();
		} catch (error) {
			if (!(error instanceof UnreachableError) || codeOf(error.cause) === "ECONNREFUSED") throw error;
			return ask();
		}
	}

	async #ask(method: string, path: string, query: Query, body: unknown, headers: Record<string, string>): Promise<Answer> {
		const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(ANSWER_LIMIT_MS)]);
		const response = await this.#fetch(method, path, query, body, headers, signal);
		let text: string;
		try {
			text = await response.text();
		} catch (error) {
			throw this.#broken(error);
		}
		if (!response.ok) throw this.#refusal(response.status, text);
		try {
			return { text, json: JSON.parse(text) };
		} catch {
			throw new UnreachableError(`${this.#settings.url} does not respond like Spillway: the response to ${path} is not JSON.`);
		}
	}

	async #fetch(
		method: string,
		path: string,
		query: Query,
		body: unknown,
		headers: Record<string, string>,
		signal: AbortSignal,
	): Promise<Response> {
		const { url, token, traceHeaders } = this.#settings;
		try {
			return await fetch(`${url}${PREFIX}${path}${queryText(query)}`, {
				method,
				signal,
				redirect: "error",
				headers: {
					...traceHeaders,
					...headers,
					...(token === null ? {} : { authorization: `Bearer ${token}` }),
					...(body === undefined ? {} : { "content-type": "application/json" }),
				},
				...(body === undefined ? {} : { body: JSON.stringify(body) }),
			});
		} catch (error) {
			throw this.#broken(error);
		}
	}

	#broken(error: unknown): Error {
		if (this.#signal.aborted) return new CliError(EXIT.interrupted, "Interrupted.");
		const code = codeOf(error);
		const { url } = this.#settings;
		const why =
			code === "ECONNREFUSED"
				? "nothing listens there. Start it with npm start, or give another address with --url or SPILLWAY_URL."
				: error instanceof Error && error.name === "TimeoutError"
					? `no answer in ${ANSWER_LIMIT_MS / 1000} s.`
					: `${code ?? "the connection broke"}. Is the address right? (--url, SPILLWAY_URL)`;
		return new UnreachableError(`Spillway at ${url} cannot be reached: ${why}`, { cause: error });
	}

	#refusal(status: number, text: string): CliError {
		const problem = problemSchema.safeParse(parsed(text));
		if (problem.success) return new ApiError(status, problem.data, this.#settings.tokenSource);
		return new UnreachableError(
			`${this.#settings.url} does not respond like Spillway: status ${status}, ${oneLine(text).slice(0, 80) || "no text"}.`,
		);
	}
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** The system's error code of a failed call, wherever fetch has put it. */
function codeOf(error: unknown): string | undefined {
	for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
		const { code } = at as NodeJS.ErrnoException;
		if (typeof code === "string") return code;
	}
	return undefined;
}

function queryText(query: Query): string {
	const params = new URLSearchParams();
	for (const [name, value] of Object.entries(query)) {
		if (value === undefined) continue;
		for (const one of Array.isArray(value) ? value : [value]) params.append(name, String(one));
	}
	const text = params.toString();
	return text === "" ? "" : `?${text}`;
}

/**
 * Parses a response in its declared form.
 * @throws UnreachableError naming the field that differs
 */
export function readAs<T>(schema: z.ZodType<T>, answer: Answer, what: string): T {
	const result = schema.safeParse(answer.json);
	if (result.success) return result.data;
	// A newer server may send new values of a closed list: they are shown unchanged.
	if (result.error.issues.every(({ code }) => code === "invalid_value")) return answer.json as T;
	const issue = result.error.issues[0];
	throw new UnreachableError(
		`This version of the command does not understand the server's ${what} (${issue?.path.join(".")}: ${issue?.message}). --json shows the raw response.`,
	);
}
