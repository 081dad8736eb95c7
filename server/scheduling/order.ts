import { gpusOf } from "#server/domain/job.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { LIMITS } from "./limits.ts";
import type { PendingJob, TimeSpread } from "./types.ts";

/** A pending job with the inputs of the order and the forecast. */
export interface QueuedJob {
	job: PendingJob;
	/** Remaining run time, ms. */
	rest: TimeSpread;
	/**
	 * Priority plus points for the wait less those for the work, or for an approaching deadline; a team's share adds to it (fair-share.ts).
	 */
	rank: number;
	/** Deadline − now − remaining run time (P50); infinite without a deadline. */
	slackMs: number;
	/**
	 * Deadline − now − the remaining run time that must fit (P90; P50 when no history gives a spread; at most 0 when no run time
	 * was declared); infinite without a deadline.
	 */
	lateSlackMs: number;
}

/**
 * `thin`: its run time is an estimate or a guess, so its P90 is of little value. `pointsPerGpuHour`: the policy's weight.
 */
export function queuedJob(job: PendingJob, rest: TimeSpread, nowMs: number, thin = true, pointsPerGpuHour = 0): QueuedJob {
	const leftMs = job.spec.deadlineMs === null ? Number.POSITIVE_INFINITY : job.spec.deadlineMs - nowMs;
	const slackMs = leftMs - rest.p50Ms;
	const lateSlackMs = isUnbounded(job) ? Math.min(0, slackMs) : thin ? slackMs : leftMs - rest.p90Ms;
	const urgent = lateSlackMs < LIMITS.urgentSlackMs && canStillMakeIt(job, rest, leftMs);
	const points = ageAndWorkPoints(job, rest, nowMs, pointsPerGpuHour);
	return { job, rest, rank: job.spec.priority + (urgent ? Math.max(points, LIMITS.urgentPoints) : points), slackMs, lateSlackMs };
}

/** Returns the same object if only time passed and its position is unchanged. Without a deadline, the position depends on age alone. */
export function refreshQueued(before: QueuedJob, nowMs: number, thin: boolean, pointsPerGpuHour = 0): QueuedJob {
	const { job, rest, rank } = before;
	const points = job.spec.deadlineMs === null ? ageAndWorkPoints(job, rest, nowMs, pointsPerGpuHour) : Number.NaN;
	if (rank === job.spec.priority + points) return before;
	return queuedJob(job, rest, nowMs, thin, pointsPerGpuHour);
}

/**
 * Points for the wait less those for the remaining work (GPUs × P50 at speed 1). Newer jobs of equal priority pass a job only in its
 * first pointsPerGpuHour × GPU-hours of waiting, in hours, so no job starves.
 */
export function ageAndWorkPoints(job: PendingJob, rest: TimeSpread, nowMs: number, pointsPerGpuHour: number): number {
	const age = agePoints(job, nowMs);
	return pointsPerGpuHour === 0 ? age : age - pointsPerGpuHour * gpusOf(job.spec) * (rest.p50Ms / HOUR_MS);
}

/** Whole points of waiting: a waiting job eventually passes every newer one, however urgent. */
function agePoints(job: PendingJob, nowMs: number): number {
	return Math.floor(Math.max(0, nowMs - job.pendingSinceMs) / LIMITS.ageingMsPerPoint);
}

/**
 * A deadline without a declared run time: past runs show the likely one, and one in ten takes longer. The deadline is the only bound, and
 * no wait before it is safe.
 */
function isUnbounded({ spec }: PendingJob): boolean {
	return spec.deadlineMs !== null && spec.duration.estimateMs === null && spec.duration.maxMs === null;
}

/**
 * One run in ten would be short enough. The P10 of a run time with a symmetric logarithm is P50² ÷ P90.
 * A job that cannot meet its deadline must not delay others. Unknown for a job without an estimate.
 */
export function canStillMakeIt(job: PendingJob, rest: TimeSpread, leftMs: number): boolean {
	return isUnbounded(job) ? leftMs > 0 : leftMs >= (rest.p50Ms * rest.p50Ms) / Math.max(1, rest.p90Ms);
}

/** The last order of a queue. It holds while the same entries are listed, because an entry that moves is another object. */
export class KeptOrder {
	#listed: readonly QueuedJob[] = [];
	#ordered: readonly QueuedJob[] = [];

	/** The order of this list; null: it must be sorted. */
	find(listed: readonly QueuedJob[]): readonly QueuedJob[] | null {
		if (listed.length !== this.#listed.length) return null;
		for (let i = 0; i < listed.length; i++) if (listed[i] !== this.#listed[i]) return null;
		return this.#ordered;
	}

	keep(listed: readonly QueuedJob[], ordered: readonly QueuedJob[]): readonly QueuedJob[] {
		this.#listed = listed;
		this.#ordered = ordered;
		return ordered;
	}
}

/** Rank, then the least slack before a deadline, then the longest wait, then the id. */
export function compareQueued(a: QueuedJob, b: QueuedJob): number {
	return a.rank !== b.rank ? b.rank - a.rank : compareEqualRank(a, b);
}

export function compareEqualRank(a: QueuedJob, b: QueuedJob): number {
	if (a.slackMs !== b.slackMs) return a.slackMs < b.slackMs ? -1 : 1;
	if (a.job.pendingSinceMs !== b.job.pendingSinceMs) return a.job.pendingSinceMs - b.job.pendingSinceMs;
	return a.job.jobId < b.job.jobId ? -1 : a.job.jobId > b.job.jobId ? 1 : 0;
}
