import { Worker } from "node:worker_threads";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { ThreadPool } from "./off-loop.ts";

export interface ThreadCall {
	task: string;
	input: unknown;
}
export type ThreadAnswer =
	| { ok: true; output: unknown }
	| { ok: false; error: Error; known: Pick<SpillwayError, "code" | "fix" | "fields"> | null };

interface Waiting extends ThreadCall {
	resolve(output: unknown): void;
	reject(error: Error): void;
}

/** Threads started on demand, at most `size`. A computation that takes longer than `limitMs` is ended together with its thread. */
export class WorkerPool implements ThreadPool {
	readonly #program: URL;
	readonly #size: number;
	readonly #limitMs: number;
	readonly #idle: Worker[] = [];
	readonly #all = new Set<Worker>();
	readonly #waiting: Waiting[] = [];
	#closed = false;

	constructor(program: URL, { size, limitMs }: { size: number; limitMs: number }) {
		this.#program = program;
		this.#size = size;
		this.#limitMs = limitMs;
	}

	run(task: string, input: unknown): Promise<unknown> {
		return new Promise((resolve, reject) => {
			this.#waiting.push({ task, input, resolve, reject });
			this.#next();
		});
	}

	async close(): Promise<void> {
		this.#closed = true;
		await Promise.all([...this.#all].map((worker) => worker.terminate()));
	}

	#next(): void {
		if (this.#closed || this.#waiting.length === 0) return;
		const worker = this.#idle.pop() ?? (this.#all.size < this.#size ? this.#start() : undefined);
		const call = worker && this.#waiting.shift();
		if (worker && call) this.#give(worker, call);
	}

	#start(): Worker {
		const worker = new Worker(this.#program);
		worker.unref();
		this.#all.add(worker);
		return worker;
	}

	#rest(worker: Worker): void {
		this.#idle.push(worker);
		worker.once("exit", () => {
			this.#all.delete(worker);
			this.#idle.splice(this.#idle.indexOf(worker), 1);
		});
	}

	#give(worker: Worker, { task, input, resolve, reject }: Waiting): void {
		const end = (isReusable: boolean): void => {
			clearTimeout(timer);
			worker.removeAllListeners();
			worker.on("error", () => undefined);
			if (isReusable) this.#rest(worker);
			else {
				this.#all.delete(worker);
				void worker.terminate();
			}
			this.#next();
		};
		const fail = (error: Error): void => {
			end(false);
			reject(error);
		};
		const timer = setTimeout(
			() =>
				fail(
					new SpillwayError("invalid_input", `This takes longer than ${this.#limitMs / 1_000} s to compute.`, {
						fix: "Make the text smaller.",
					}),
				),
			this.#limitMs,
		);
		worker.removeAllListeners();
		worker.once("error", fail);
		worker.once("exit", () => fail(new Error("the thread ended")));
		worker.once("message", (answer: ThreadAnswer) => {
			end(true);
			if (answer.ok) resolve(answer.output);
			else reject(answer.known === null ? answer.error : withFix(answer.known, answer.error));
		});
		worker.postMessage({ task, input } satisfies ThreadCall);
	}
}

/** An error from a thread keeps its message but loses its class. */
function withFix({ code, fix, fields }: Pick<SpillwayError, "code" | "fix" | "fields">, { message }: Error): SpillwayError {
	return new SpillwayError(code, message, { fields, ...(fix === undefined ? {} : { fix }) });
}
