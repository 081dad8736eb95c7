import { sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { readableJob } from "../readable-job.ts";

/** Maximum points shown per metric; more are thinned out evenly. */
const POINTS_SHOWN = 500;

export interface MetricSeries {
	key: string;
	/** Number of stored points; `points` are at most 500 of them, spread evenly and including the last one. */
	count: number;
	last: { step: number; value: number; at: string };
	min: number;
	max: number;
	points: { step: number; value: number; at: string }[];
}

/**
 * Metrics of a job, from its output and from runs that it logged.
 * @throws SpillwayError `forbidden`; `not_found`, also for another team's job
 */
export async function listJobMetrics(ctx: ServiceContext, jobId: string): Promise<MetricSeries[]> {
	await readableJob(ctx, jobId);
	const runs = await ctx.db.execute<{ id: string }>(sql`select id from tracking_run where job_id = ${jobId}`);
	return readSeries(ctx.db, [jobId, ...runs.map(({ id }) => id)]);
}

/** Cost: one range scan over the points of these runs. */
async function readSeries(db: DbOrTx, runIds: readonly string[]): Promise<MetricSeries[]> {
	const rows = await db.execute<{
		key: string;
		step: string;
		at: string;
		value: number;
		n: number;
		of: number;
		min: number;
		max: number;
	}>(sql`
		with p as (
			select key, step, at_ms, value, (row_number() over w)::int as n, (count(*) over k)::int as of, min(value) over k as min, max(value) over k as max
			from metric_point where run_id = any(${sql.param([...runIds])}::text[]) and value not in ('NaN', 'Infinity', '-Infinity')
			window w as (partition by key order by step, at_ms), k as (partition by key))
		select key, step::text as step, at_ms::text as at, value, n, of, min, max from p
		where n = of or (n - 1) % greatest(1, ceil(of / ${POINTS_SHOWN}::numeric)::int) = 0 order by key, n`);
	return [...Map.groupBy(rows, ({ key }) => key)].flatMap(([key, own]) => {
		const points = own.map(({ step, value, at }) => ({ step: Number(step), value, at: new Date(Number(at)).toISOString() }));
		const [first, last] = [own[0], points.at(-1)];
		return first && last ? [{ key, count: first.of, last, min: first.min, max: first.max, points }] : [];
	});
}
