import { LogSpill } from "./log-spill.ts";
import { AGENT_LIMITS, type AgentLogLine, type LogsAnswer, type LogsRequest } from "./protocol.ts";
import { pause } from "./wait.ts";

/** Delay between two calls, so that a chatty job makes few large calls instead of many small ones. */
const BETWEEN_CALLS_MS = 100;

/**
 * Sends the attempt's lines to the control plane, each exactly once: lines are numbered from 1, the response contains the latest
 * stored number, and unacknowledged lines are sent again. Lines wait in memory up to a limit, then on disk up to a limit; beyond
 * that `full` asks the producer to pause.
 */
export class LogShipper {
	readonly #send: (request: LogsRequest) => Promise<LogsAnswer>;
	readonly #nowMs: () => number;
	readonly #mask: (line: string) => string;
	readonly #memoryBytesMax: number;
	readonly #spillBytesMax: number;
	readonly #spill: LogSpill;
	/** Oldest first: these, then those in the file, then those that did not fit on disk. */
	#queue: AgentLogLine[] = [];
	#overflow: AgentLogLine[] = [];
	#queueBytes = 0;
	#firstNumber = 1;
	/** The control plane accepts no more lines of this attempt. */
	#closed = false;
	#wake: (() => void) | null = null;
	#onRoom: (() => void) | null = null;

	constructor(options: {
		/** Retries until there is a response. */
		send(request: LogsRequest): Promise<LogsAnswer>;
		nowMs(): number;
		/** Masks secrets before a line is kept anywhere. */
		mask(line: string): string;
		spillFile: string;
		memoryBytesMax: number;
		spillBytesMax: number;
	}) {
		this.#send = options.send;
		this.#nowMs = options.nowMs;
		this.#mask = options.mask;
		this.#memoryBytesMax = options.memoryBytesMax;
		this.#spillBytesMax = options.spillBytesMax;
		this.#spill = new LogSpill(options.spillFile);
	}

	add(stream: AgentLogLine["stream"], text: string): void {
		if (this.#closed) return;
		const line = { atMs: Math.round(this.#nowMs()), stream, text: this.#mask(text) };
		const waits = this.#spill.bytes > 0 || this.#overflow.length > 0;
		if (!waits && this.#queueBytes < this.#memoryBytesMax) this.#enqueue(line);
		else if (this.#overflow.length > 0 || !this.#spill.append(line)) this.#overflow.push(line);
		this.#wake?.();
	}

	/** The producer should pause: memory and disk are full. */
	get full(): boolean {
		return this.#overflow.length > 0 || this.#spill.bytes >= this.#spillBytesMax;
	}

	/** Called whenever there is room again. */
	onRoom(callback: () => void): void {
		this.#onRoom = callback;
	}

	get idle(): boolean {
		return this.#queue.length === 0 && this.#spill.bytes === 0 && this.#overflow.length === 0;
	}

	/** Ships until the signal is aborted, or, with `untilIdle`, until everything is stored. @throws what `send` throws. */
	async run(signal: AbortSignal, options: { untilIdle(): boolean }): Promise<void> {
		while (!signal.aborted) {
			this.#refill();
			if (this.#queue.length === 0) {
				if (options.untilIdle()) return;
				await this.#untilWoken(signal);
				continue;
			}
			await this.#sendBatch();
			// If there is more to send, do not wait.
			if (this.idle && !options.untilIdle()) await pause(BETWEEN_CALLS_MS, signal);
		}
	}

	/** Wakes a waiting `run`. */
	nudge(): void {
		this.#wake?.();
	}

	close(): void {
		this.#spill.close();
	}

	async #sendBatch(): Promise<void> {
		const lines = takeBatch(this.#queue);
		const answer = await this.#send({ firstNumber: this.#firstNumber, lines });
		if (answer.full) return this.#drop();
		const acknowledged = Math.min(lines.length, Math.max(0, answer.stored - this.#firstNumber + 1));
		for (const line of this.#queue.splice(0, acknowledged)) this.#queueBytes -= sizeOf(line);
		this.#firstNumber += acknowledged;
		if (!this.full) this.#onRoom?.();
	}

	#drop(): void {
		this.#closed = true;
		this.#queue = [];
		this.#overflow = [];
		while (this.#spill.bytes > 0) this.#spill.take();
		this.#onRoom?.();
	}

	#refill(): void {
		if (this.#queue.length > 0) return;
		for (const line of this.#spill.take()) this.#enqueue(line);
		if (this.#spill.bytes > 0) return;
		for (const line of this.#overflow.splice(0)) this.#enqueue(line);
	}

	#enqueue(line: AgentLogLine): void {
		this.#queue.push(line);
		this.#queueBytes += sizeOf(line);
	}

	#untilWoken(signal: AbortSignal): Promise<void> {
		return new Promise((resolve) => {
			const done = (): void => {
				signal.removeEventListener("abort", done);
				this.#wake = null;
				resolve();
			};
			this.#wake = done;
			signal.addEventListener("abort", done);
		});
	}
}

/** The first lines that fit into one call, at least one. */
export function takeBatch(queue: readonly AgentLogLine[]): AgentLogLine[] {
	let bytes = 0;
	let count = 0;
	for (const line of queue) {
		bytes += Buffer.byteLength(line.text);
		if (count > 0 && (count >= AGENT_LIMITS.logLinesPerCall || bytes > AGENT_LIMITS.logBytesPerCall)) break;
		count++;
	}
	return queue.slice(0, count);
}

/** Approximate memory of a line: its text and the object around it. */
function sizeOf(line: AgentLogLine): number {
	return line.text.length * 2 + 100;
}
