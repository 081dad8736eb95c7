import { LIMITS } from "./limits.ts";
import type { PendingJob, TimeSpread } from "./types.ts";

/** A pending job with what the order and the forecast need of it. */
export interface QueuedJob {
	job: PendingJob;
	/** What is left to run, ms. */
	rest: TimeSpread;
	/** Priority plus one point for each LIMITS.ageingMsPerPoint waited. */
	rank: number;
	/** Deadline − now − rest; infinite without a deadline. */
	slackMs: number;
}

export function queuedJob(job: PendingJob, rest: TimeSpread, nowMs: number): QueuedJob {
	return { job, rest, rank: agedPriority(job, nowMs), slackMs: slackOf(job, rest, nowMs) };
}

/** priority + whole points of waiting: a job that waits passes every fresher one in the end. */
export function agedPriority(job: PendingJob, nowMs: number): number {
	return job.spec.priority + Math.floor(Math.max(0, nowMs - job.pendingSinceMs) / LIMITS.ageingMsPerPoint);
}

function slackOf(job: PendingJob, rest: TimeSpread, nowMs: number): number {
	return job.spec.deadlineMs === null ? Number.POSITIVE_INFINITY : job.spec.deadlineMs - nowMs - rest.p50Ms;
}

/** Aged priority, then the least slack before a deadline, then the longest wait, then the id. */
export function compareQueued(a: QueuedJob, b: QueuedJob): number {
	if (a.rank !== b.rank) return b.rank - a.rank;
	if (a.slackMs !== b.slackMs) return a.slackMs < b.slackMs ? -1 : 1;
	if (a.job.pendingSinceMs !== b.job.pendingSinceMs) return a.job.pendingSinceMs - b.job.pendingSinceMs;
	return a.job.jobId < b.job.jobId ? -1 : a.job.jobId > b.job.jobId ? 1 : 0;
}
