import { setTimeout as sleep } from "node:timers/promises";

/** A timer takes at most 2^31 - 1 ms; longer waits are cut, and their callers look again. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Waits, or returns at once when the signal is aborted. Answers whether the time was waited for. */
export async function pause(ms: number, signal?: AbortSignal): Promise<boolean> {
	try {
		await sleep(Math.min(Math.max(0, ms), TIMER_MAX_MS), undefined, signal ? { signal } : {});
		return true;
	} catch {
		return false;
	}
}

/** Waits until `nowMs()` has reached a time, however far away and however the clock is put meanwhile. */
export async function pauseUntil(atMs: () => number, nowMs: () => number, signal: AbortSignal): Promise<boolean> {
	for (;;) {
		const leftMs = atMs() - nowMs();
		if (leftMs <= 0) return !signal.aborted;
		// Looked at again now and then, because the time may be moved.
		if (!(await pause(Math.min(leftMs, 1_000), signal))) return false;
	}
}
