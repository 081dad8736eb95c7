import { restoreMsOf } from "../restore.ts";
import { restOfAttempt, workDoneAt } from "../run-time.ts";
import type { RunningAttempt, TimeSpread } from "../types.ts";
import type { RunningInput } from "./types.ts";

/** An attempt's saved work, and the remaining work if it ends now: what is not saved is done again, after the restore. */
export function restFromSaved(input: RunningInput, attempt: RunningAttempt): { doneMs: number; rest: TimeSpread } {
	const { nowMs } = input.snapshot;
	const doneMs = attempt.savedMs ?? attempt.completedMs;
	const onNow = restOfAttempt(attempt, nowMs, input.runTimeOf);
	const againMs = Math.max(0, workDoneAt(attempt, nowMs) - doneMs) + restoreMsOf(input.snapshot);
	return { doneMs, rest: { p50Ms: onNow.p50Ms + againMs, p90Ms: onNow.p90Ms + againMs } };
}
