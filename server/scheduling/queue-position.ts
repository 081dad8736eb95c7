import { LIMITS } from "./limits.ts";
import { agePoints } from "./order.ts";
import type { PendingJob } from "./types.ts";

/** The best and the worst position of a job among all pending ones (1 is next), and their number. */
export interface QueuePosition {
	from: number;
	to: number;
	of: number;
}

/**
 * Position of a job in the queue. A range, because the order changes between cycles: ties in rank are broken by slack and fair share, and
 * any job with a deadline may still gain the urgent points.
 */
export function queuePosition(pending: readonly PendingJob[], jobId: string, nowMs: number): QueuePosition | null {
	const own = pending.find((job) => job.jobId === jobId);
	if (!own) return null;
	const most = (job: PendingJob) =>
		job.spec.deadlineMs === null ? least(job) : job.spec.priority + Math.max(age(job), LIMITS.urgentPoints);
	const age = (job: PendingJob) => agePoints(job, nowMs);
	const least = (job: PendingJob) => job.spec.priority + age(job);
	const others = pending.filter((job) => job !== own);
	return {
		from: 1 + others.filter((job) => least(job) > most(own)).length,
		to: 1 + others.filter((job) => most(job) >= least(own)).length,
		of: pending.length,
	};
}
