import type { CloudRun } from "./cost.ts";
import type { Removal } from "./removal.ts";
import { stateBeforeStart } from "./spot-guarantee/before-start.ts";
import { allowsSpot, allowsSpotStart, marginMs } from "./spot-guarantee/safety.ts";
import type { PendingJob } from "./types.ts";

/**
 * Why a job with a deadline may not start on spot: its remaining time does not tolerate an interruption, by the guarantee's own margin
 * (spot-guarantee/safety.ts) with the bound of work-bound.ts as the work left. Otherwise the next cycle would move it off again. Without
 * checkpoints an interruption loses all of its work. A deadline that no likely run length meets on firm capacity needs no protection:
 * paying more would not save it.
 * @param stagingMs time until its data is on a firm machine
 */
export function firmOnly(job: PendingJob, run: CloudRun, nowMs: number, stagingMs: number): Removal | null {
	const { deadlineMs } = job.spec;
	if (deadlineMs === null) return null;
	const state = stateBeforeStart({ atMs: nowMs, deadlineMs, stagingMs, run });
	if (state === null || allowsSpotStart(state)) return null;
	return { ruleId: null, why: "deadline_needs_firm", facts: { slackMs: Math.round(marginMs(state)) } };
}

/**
 * Whether a job may wait until the next choice and still meet its deadline on firm capacity after it. A deadline that no known
 * run could meet does not justify firm capacity, but a short run that starts now may still meet it.
 */
export function allowsWaiting(job: PendingJob, run: CloudRun, nowMs: number, stagingMs: number): boolean {
	const { deadlineMs } = job.spec;
	if (deadlineMs === null || nowMs >= deadlineMs) return true;
	const state = stateBeforeStart({ atMs: nowMs, deadlineMs, stagingMs, run });
	return state !== null && allowsSpot(state);
}
