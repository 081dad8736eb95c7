import type { z } from "zod";
import { AGENT_PATH, doneAnswer, type Problem, problemSchema } from "./protocol.ts";
import { pause } from "./wait.ts";

/** The control plane rejected the call permanently. */
export class Refused extends Error {
	override name = "Refused";
	readonly problem: Problem;
	constructor(problem: Problem) {
		super(problem.detail);
		this.problem = problem;
	}
}

export interface Call<S extends z.ZodType> {
	method: "GET" | "POST" | "PUT";
	/** Path below /agent/v1, beginning with "/". */
	path: string;
	json?: unknown;
	/** Builds the payload again for each try, for payloads that expire. */
	freshJson?: () => Promise<unknown>;
	/** Builds the body again for each try. */
	body?: () => ReadableStream<Uint8Array>;
	headers?: Record<string, string>;
	answer: S;
	signal: AbortSignal;
	timeoutMs?: number;
}

const BACKOFF_BASE_MS = 200;
const BACKOFF_MAX_MS = 10_000;
const TIMEOUT_MS = 30_000;
/** Statuses that mean "try again later", whatever the body. */
const LATER = new Set([408, 425, 429]);

/** Calls the control plane. It may be unavailable for hours, so every call is idempotent and is retried. */
export class ControlClient {
	readonly #baseUrl: string;
	readonly #log: (text: string) => void;
	token: string | null = null;
	/** Monotonic time of the last response. */
	lastAnswerAt: number = performance.now();

	constructor(options: { baseUrl: string; log(text: string): void }) {
		this.#baseUrl = options.baseUrl;
		this.#log = options.log;
	}

	/**
	 * Retries until there is a response.
	 * @throws Refused; AbortError if the signal is aborted first
	 */
	async call<S extends z.ZodType>(call: Call<S>): Promise<z.output<S>> {
		for (let tries = 0; ; tries++) {
			call.signal.throwIfAborted();
			try {
				return await this.once(call.freshJson === undefined ? call : { ...call, json: await call.freshJson() });
			} catch (error) {
				if (error instanceof Refused) throw error;
				call.signal.throwIfAborted();
				if (tries === 2) this.#log(`${call.method} ${call.path} failed, retrying: ${messageOf(error)}`);
			}
			await pause(backoffMs(tries, Math.random()), call.signal);
		}
	}

	/**
	 * Tries once.
	 * @throws Refused; any other Error if the call may be retried
	 */
	async once<S extends z.ZodType>(call: Call<S>): Promise<z.output<S>> {
		const answer = await this.fetch(call);
		return call.answer.parse(await answer.json());
	}

	/** @throws as `once` does */
	async fetch(call: Omit<Call<z.ZodType>, "answer">): Promise<Response> {
		// Node requires "half" for a streamed body, but the DOM's types lack the option.
		const init: RequestInit & { duplex: "half" } = {
			method: call.method,
			headers: {
				...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
				...(call.json === undefined ? {} : { "content-type": "application/json" }),
				...call.headers,
			},
			body: call.json === undefined ? (call.body?.() ?? null) : JSON.stringify(call.json),
			signal: AbortSignal.any([call.signal, AbortSignal.timeout(call.timeoutMs ?? TIMEOUT_MS)]),
			duplex: "half",
			redirect: "error",
		};
		const answer = await fetch(`${this.#baseUrl}${AGENT_PATH}${call.path}`, init);
		if (answer.ok) {
			this.lastAnswerAt = performance.now();
			return answer;
		}
		const text = await answer.text();
		const problem = problemSchema.safeParse(parseJson(text));
		if (!problem.success) throw new Error(`status ${answer.status}`);
		this.lastAnswerAt = performance.now();
		if (answer.status >= 500 || LATER.has(answer.status)) throw new Error(`status ${answer.status}: ${problem.data.detail}`);
		throw new Refused(problem.data);
	}

	/** A call with an empty response. */
	async report(path: string, json: unknown, signal: AbortSignal): Promise<void> {
		await this.call({ method: "POST", path, json, answer: doneAnswer, signal });
	}
}

/** Doubles up to a limit, with 50% jitter so that machines do not retry in step after an outage. */
export function backoffMs(tries: number, random: number): number {
	return Math.min(BACKOFF_MAX_MS, BACKOFF_BASE_MS * 2 ** Math.min(tries, 16)) * (0.5 + random / 2);
}

export function messageOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	// "fetch failed" is not informative; its cause is.
	return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
