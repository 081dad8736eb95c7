import { setTimeout as sleep } from "node:timers/promises";

/** A timer allows at most 2^31 - 1 ms. Longer waits are cut, and callers check again. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Waits, or returns immediately when the signal is aborted. Returns whether the full time passed. */
export async function pause(ms: number, signal?: AbortSignal): Promise<boolean> {
	try {
		await sleep(Math.min(Math.max(0, ms), TIMER_MAX_MS), undefined, signal ? { signal } : {});
		return true;
	} catch {
		return false;
	}
}

/** Waits until `nowMs()` has reached a time, however far away and even if the clock is changed meanwhile. */
export async function pauseUntil(atMs: () => number, nowMs: () => number, signal: AbortSignal): Promise<boolean> {
	for (;;) {
		const leftMs = atMs() - nowMs();
		if (leftMs <= 0) return !signal.aborted;
		// Checks from time to time, because the deadline may change.
		if (!(await pause(Math.min(leftMs, 1_000), signal))) return false;
	}
}
