import { sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { isThroughput } from "#server/domain/metric/throughput.ts";

/** A rate is the median of this many last points: the first steps load data and compile. */
const POINTS = 20;
/** Metrics of a run that are searched for its rate. */
const KEYS_MAX = 100;

export interface ReportedRate {
	/** The metric's name. Rates of different metrics cannot be compared. */
	unit: string;
	/** In that unit, per second. */
	rate: number;
}

/**
 * The training speed that jobs reported since `sinceMs`, in their output or through a tracking run; the first such metric by name. Jobs
 * without one are absent. Cost: an index probe for each metric of a job, and its last POINTS points.
 */
export async function reportedRates(
	db: DbOrTx,
	jobs: readonly { jobId: string; sinceMs: number }[],
): Promise<ReadonlyMap<string, ReportedRate>> {
	const since = new Map(jobs.map(({ jobId, sinceMs }) => [jobId, sinceMs]));
	const found = new Map<string, { runId: string; key: string }>();
	for (const { job_id: jobId, run_id: runId, key } of await keysOf(db, [...since.keys()]))
		if (isThroughput(key) && key < (found.get(jobId)?.key ?? "\uffff")) found.set(jobId, { runId, key });
	if (found.size === 0) return new Map();
	const asked = [...found].map(([job, { runId, key }]) => ({ job, run: runId, key, since: Math.floor(since.get(job) ?? 0) }));
	const rows = await db.execute<{ job: string; key: string; rate: number }>(sql`
		select q.job, q.key, percentile_cont(0.5) within group (order by p.value) as rate
		from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as q(job text, run text, key text, since bigint)
		cross join lateral (select value, at_ms from metric_point where run_id = q.run and key = q.key
			order by step desc, at_ms desc limit ${POINTS}) p
		where p.at_ms >= q.since and p.value > 0 and p.value < 'Infinity' group by q.job, q.key`);
	return new Map(rows.map(({ job, key, rate }) => [job, { unit: key, rate }]));
}

/** Names of the metrics of jobs and of the runs that they logged, by skipping from one to the next in the index. */
function keysOf(db: DbOrTx, jobIds: readonly string[]) {
	return db.execute<{ job_id: string; run_id: string; key: string }>(sql`
		with recursive source as (
			select id as job_id, id as run_id from unnest(${sql.param([...jobIds])}::text[]) id
			union all select job_id, id from tracking_run where job_id = any(${sql.param([...jobIds])}::text[])
		), found as (
			select s.*, 1 as n, (select min(key) from metric_point where run_id = s.run_id) as key from source s
			union all
			select job_id, run_id, n + 1, (select min(p.key) from metric_point p where p.run_id = f.run_id and p.key > f.key)
			from found f where f.key is not null and n < ${KEYS_MAX}
		)
		select job_id, run_id, key from found where key is not null`);
}
