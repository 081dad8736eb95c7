import { type SQL, sql } from "drizzle-orm";
import type { Placement } from "#server/domain/capacity.ts";
import type { SpeedOf } from "#server/services/capacity/site/pool-speed.ts";

/** For a job that succeeded: what its last attempt ran, what earlier attempts had saved, and where it ran; null when not recorded. */
export type Ran = { ran_ms: number; saved_ms: number; placement: Placement | null };

/**
 * The newest `limit` jobs that succeeded within ]fromMs, toMs], newest first: `columns` of `job`, and Ran. A job without a recorded attempt
 * counts from its start to its end. Cost: an index scan, and two index lookups per job.
 */
export function finishedJobs({ columns, fromMs, toMs, limit }: { columns: SQL; fromMs: number; toMs: number; limit: number }): SQL {
	const at = (ms: number): SQL => sql`${new Date(ms).toISOString()}::timestamptz`;
	return sql`
		select ${columns}, a.placement as placement,
			extract(epoch from coalesce(a.finished_at - a.started_at, job.finished_at - job.started_at))::float8 * 1000 as ran_ms,
			case when job.attempts > 1 then (select coalesce(max(c.completed_ms), 0) from checkpoint c
				where c.job_id = job.id and c.attempt_id <> a.id) else 0 end::float8 as saved_ms
		from (
			select * from job where finished_at > ${at(fromMs)} and finished_at <= ${at(toMs)} and state = 'succeeded' and started_at is not null
			order by finished_at desc limit ${limit}
		) as job left join attempt a on a.job_id = job.id and a.number = job.attempts
		order by job.finished_at desc`;
}

/** The job's work, ms on a machine of speed 1: the saved work, plus the whole last attempt times the speed of its placement. */
export function workOf({ ran_ms: ranMs, saved_ms: savedMs, placement }: Ran, speedOf: SpeedOf): number {
	return Math.round(savedMs + ranMs * (placement ? speedOf(placement) : 1));
}
