import { LIMITS } from "./limits.ts";
import { ageAndWorkPoints } from "./order.ts";
import { makeRunTimeOf, remainingOf } from "./run-time.ts";
import type { PendingJob, Snapshot } from "./types.ts";

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
export function queuePosition(
	{ pending, nowMs, durations, policy }: Pick<Snapshot, "pending" | "nowMs" | "durations" | "policy">,
	jobId: string,
): QueuePosition | null {
	const own = pending.find((job) => job.jobId === jobId);
	if (!own) return null;
	const runTimeOf = makeRunTimeOf(durations);
	const pointsPerGpuHour = policy.weights.pointsPerGpuHour ?? 0;
	const points = (job: PendingJob) => {
		const rest = remainingOf(runTimeOf(job.spec), job.completedMs, job.spec.duration.maxMs);
		return ageAndWorkPoints(job, rest, nowMs, pointsPerGpuHour);
	};
	const least = (job: PendingJob) => job.spec.priority + points(job);
	const most = (job: PendingJob) =>
		job.spec.deadlineMs === null ? least(job) : job.spec.priority + Math.max(points(job), LIMITS.urgentPoints);
	const others = pending.filter((job) => job !== own);
	return {
		from: 1 + others.filter((job) => least(job) > most(own)).length,
		to: 1 + others.filter((job) => most(job) >= least(own)).length,
		of: pending.length,
	};
}
