import { uptime } from "node:os";
import { pause } from "./wait.ts";

/**
 * Milliseconds since the machine booted, the time in which it was suspended included: the one clock that all its processes share,
 * and that no one puts.
 */
export function bootTimeMs(): number {
	return uptime() * 1_000;
}

const LOOK_EVERY_MS = 50;

/**
 * The right of a critical job's command to run: until so long after the beat that the control plane answered last. It counts
 * from the moment in which that beat was sent, since the control plane counts from when it came.
 */
export class Lease {
	readonly ms: number;
	#untilMs = Number.NEGATIVE_INFINITY;

	constructor(ms: number) {
		this.ms = ms;
	}

	/** When it is over, by bootTimeMs. */
	get untilMs(): number {
		return this.#untilMs;
	}

	get isValid(): boolean {
		return bootTimeMs() < this.#untilMs;
	}

	/** Never shortens it: answers may come in another order than their beats were sent. */
	renew(sentAtMs: number): void {
		this.#untilMs = Math.max(this.#untilMs, sentAtMs + this.ms);
	}

	/** @throws the signal's reason when it is aborted first */
	async untilValid(signal: AbortSignal): Promise<void> {
		while (!this.isValid) {
			await pause(LOOK_EVERY_MS, signal);
			signal.throwIfAborted();
		}
	}
}
