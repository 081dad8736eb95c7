import { reason } from "#server/domain/reasons.ts";
import type { Action, RunningAttempt, Snapshot } from "./types.ts";

/** Attempts whose run, with the work that earlier attempts finished, reached the job's maximum; by attempt id. */
export function stopOverlong(snapshot: Snapshot): Action[] {
	return snapshot.running
		.filter((attempt) => !attempt.stopping && ranMs(attempt, snapshot.nowMs) >= (attempt.spec.duration.maxMs ?? Number.POSITIVE_INFINITY))
		.sort((a, b) => (a.attemptId < b.attemptId ? -1 : 1))
		.map((attempt) => ({
			kind: "stop",
			jobId: attempt.jobId,
			attemptId: attempt.attemptId,
			reason: reason("max_duration_exceeded", { maxMs: attempt.spec.duration.maxMs, ranMs: ranMs(attempt, snapshot.nowMs) }),
		}));
}

function ranMs(attempt: RunningAttempt, nowMs: number): number {
	return attempt.startedAtMs === null ? Number.NEGATIVE_INFINITY : attempt.completedMs + nowMs - attempt.startedAtMs;
}
