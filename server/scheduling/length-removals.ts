import { type CloudRun, estimateOf, lifeOn, restOn, stagingOn } from "./cost.ts";
import { LIMITS } from "./limits.ts";
import type { OfferRow } from "./offers.ts";
import type { Removal } from "./removal.ts";
import type { PendingJob } from "./types.ts";

/**
 * An accelerator that would make the job exceed its longest run time, or without checkpoints outlive its machine, although the job would
 * not on a machine of speed 1, at the median or at P90.
 */
export function tooSlow(row: OfferRow, run: CloudRun, { spec, completedMs, completedByClockMs = completedMs }: PendingJob): Removal | null {
	if (run.speeds === null || run.speeds.on(row.machine.accelerator).timeFactor <= 1) return null;
	const byMax = (spec.duration.maxMs ?? Number.POSITIVE_INFINITY) - completedByClockMs;
	const byLife = run.checkpointEveryMs === null ? lifeOn(row, run) - run.start.p50Ms : Number.POSITIVE_INFINITY;
	const limitMs = Math.min(byMax, byLife);
	const there = restOn(row, run);
	// An unknown run time is set to the whole maximum, so the limit then excludes no place.
	const breaks = (here: number, ms: number): boolean => here < limitMs && ms > limitMs;
	const breaksMedian = breaks(run.rest.p50Ms, there.p50Ms);
	if (!breaksMedian && !breaks(run.rest.p90Ms, there.p90Ms)) return null;
	const neededMs = Math.round(breaksMedian ? there.p50Ms : there.p90Ms);
	return { ruleId: null, why: "too_slow", facts: { accelerator: row.machine.accelerator, neededMs, limitMs: Math.round(limitMs) } };
}

/**
 * A machine that ends before the job makes any progress: before its expected end without checkpoints, before the next checkpoint with them.
 * A person's estimate counts if it is shorter than history, and an unknown run time excludes nothing.
 */
export function lifeTooShort(row: OfferRow, run: CloudRun, job: PendingJob): Removal | null {
	return tooShort({ lifeMs: lifeOn(row, run), stagingMs: stagingOn(row, run).ms, restMs: restOn(row, run).p50Ms }, run, job);
}

/** The same where it excludes every offer: none lasts longer than the run's life, and without data and speeds none is faster. */
export function lifeTooShortAnywhere(run: CloudRun, job: PendingJob): Removal | null {
	if (run.speeds !== null || run.data.length > 0) return null;
	return tooShort({ lifeMs: run.lifeMs, stagingMs: 0, restMs: run.rest.p50Ms }, run, job);
}

function tooShort(
	there: { lifeMs: number; stagingMs: number; restMs: number },
	run: CloudRun,
	{ spec, completedMs }: PendingJob,
): Removal | null {
	const { estimateMs } = spec.duration;
	if (estimateMs === null && !run.length?.total.distribution) return null;
	const { lifeMs } = there;
	const beforeWorkMs = run.start.p50Ms + there.stagingMs + (run.restores ? run.restoreMs : 0);
	const byEstimate =
		estimateMs === null || run.rest.p50Ms <= 0 ? there.restMs : (there.restMs / run.rest.p50Ms) * Math.max(0, estimateMs - completedMs);
	const restMs = Math.min(there.restMs, byEstimate);
	const isCheckpointed = run.checkpointEveryMs !== null && run.checkpointEveryMs < restMs;
	const neededMs = beforeWorkMs + (isCheckpointed ? (run.checkpointEveryMs ?? 0) : restMs);
	if (neededMs <= lifeMs) return null;
	const facts = { lifeMs, neededMs: Math.round(neededMs), missing: isCheckpointed ? "checkpoint" : "end" };
	return { ruleId: null, why: "life_too_short", facts };
}

/**
 * Data that cannot arrive in time: with staging, the run would end after the instance or the deadline; without staging it would not.
 * Expected staging counts against the life, the fastest staging against the deadline.
 */
export function dataTooSlow(row: OfferRow, run: CloudRun, { spec }: PendingJob, nowMs: number): Removal | null {
	if (run.data.length === 0) return null;
	const { ms, rangeMs, waitMs } = stagingOn(row, run);
	if (ms <= 0) return null;
	const isKnown = spec.duration.estimateMs !== null || run.length?.total.distribution != null;
	const restMs = isKnown ? restOn(row, run).p50Ms : 0;
	const beforeMs = run.start.p50Ms + (run.restores ? run.restoreMs : 0);
	const breaks = (stagingMs: number, runMs: number, leftMs: number): boolean =>
		beforeMs + runMs <= leftMs && beforeMs + stagingMs + runMs > leftMs;
	const lifeMs = lifeOn(row, run);
	const inOneLifeMs = Math.min(restMs, run.checkpointEveryMs ?? Number.POSITIVE_INFINITY);
	const removal = (limit: "life" | "deadline", stagingMs: number, leftMs: number): Removal => ({
		...{ ruleId: null, why: "data_too_slow" },
		facts: { limit, stagingMs: Math.round(stagingMs), leftMs: Math.round(leftMs) },
	});
	if (breaks(ms, inOneLifeMs, lifeMs)) return removal("life", ms, lifeMs);
	if (run.deadlineMs === null) return null;
	const leftMs = run.deadlineMs - nowMs - waitMs;
	return breaks(rangeMs.low, restMs, leftMs) ? removal("deadline", rangeMs.low, leftMs) : null;
}

/** Capacity that ends (a reserved block) must last for the expected run and the time to save it. */
export function endsTooSoon(row: OfferRow, run: CloudRun, nowMs: number): Removal | null {
	const { availableUntilMs } = row.offer;
	if (availableUntilMs === undefined || availableUntilMs === null) return null;
	const { billedMs, copyAheadMs } = estimateOf(row, run);
	const neededMs = copyAheadMs + billedMs + LIMITS.stopGraceMs;
	if (availableUntilMs - nowMs >= neededMs) return null;
	return { ruleId: null, why: "reserved_too_short", facts: { untilMs: availableUntilMs, neededMs: Math.ceil(neededMs) } };
}
