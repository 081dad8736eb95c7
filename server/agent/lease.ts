import { uptime } from "node:os";
import { pause } from "./wait.ts";

/**
 * Milliseconds since the machine booted, including time suspended. The only clock that all its processes share and that cannot be
 * set.
 */
export function bootTimeMs(): number {
	return uptime() * 1_000;
}

const LOOK_EVERY_MS = 50;

/**
 * The right of a critical job's command to run: a fixed time from the last heartbeat that the control plane answered. It counts
 * from when that heartbeat was sent, because the control plane counts from when it arrived.
 */
export class Lease {
	readonly ms: number;
	#untilMs = Number.NEGATIVE_INFINITY;

	constructor(ms: number) {
		this.ms = ms;
	}

	/** Expiry, by bootTimeMs. */
	get untilMs(): number {
		return this.#untilMs;
	}

	get isValid(): boolean {
		return bootTimeMs() < this.#untilMs;
	}

	/** Never shortens the lease: responses may arrive out of order. */
	renew(sentAtMs: number): void {
		this.#untilMs = Math.max(this.#untilMs, sentAtMs + this.ms);
	}

	/** @throws the signal's reason if it is aborted first */
	async untilValid(signal: AbortSignal): Promise<void> {
		while (!this.isValid) {
			await pause(LOOK_EVERY_MS, signal);
			signal.throwIfAborted();
		}
	}
}
