import { type SQL, sql } from "drizzle-orm";
import type { Granularity, Interval } from "#server/accounting/calendar.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import { SLICE_DIMENSIONS } from "#server/domain/charge.ts";

/** Tables of sums that are checked against charges: the rollups by granularity, and the jobs' months. */
export type SumsOf = Granularity | "job_month";

const DIMENSIONS = ["team", "project", "class", "site_id", "provider", "region", "capacity_type", "accelerator", "kind"];
const JOB_DIMENSIONS = ["job_id", "team"];

/** Each column of sums and its computation from charges. */
const SUMS: Readonly<Record<string, string>> = {
	...Object.fromEntries(
		[
			...["gpu_ms", "list_micro_usd", "contracted_micro_usd", "effective_micro_usd", "billed_micro_usd"],
			...["energy_milli_wh", "measured_energy_milli_wh", "hourly_grid_milli_wh"],
			...["emissions_milligrams", "market_emissions_milligrams", "embodied_milligrams"],
		].map((column) => [column, `coalesce(sum(${column}), 0)`]),
	),
	emissions_unknown_gpu_ms: "coalesce(sum(gpu_ms) filter (where emissions_milligrams is null), 0)",
	market_unknown_gpu_ms: "coalesce(sum(gpu_ms) filter (where market_emissions_milligrams is null), 0)",
	embodied_unknown_gpu_ms: "coalesce(sum(gpu_ms) filter (where embodied_milligrams is null), 0)",
	charges: "count(*)",
};

/** A job's month has one more column: the amount charged to budgets for cloud machines. */
const JOB_SUMS: Readonly<Record<string, string>> = {
	...SUMS,
	cloud_micro_usd: `coalesce(sum(case when capacity_type = 'reserved' then billed_micro_usd else effective_micro_usd end) filter (where coalesce(instance_id, artifact_id) is not null and capacity_type <> 'owned'), 0)`,
};

/**
 * The sums of one calendar month that differ from its charges: bucket_ms, dimensions, column_name, kept, recomputed. Buckets are compared
 * by their local date, as the database itself reads the zone; a row that does not start at the first instant of its day or month is
 * reported as a difference in the column `bucket_start`.
 */
export function differencesOfSums(kind: SumsOf, month: Interval, calendar: Calendar, limit: number): SQL {
	const dims = (kind === "job_month" ? JOB_DIMENSIONS : DIMENSIONS).join(", ");
	const start = kind === "job_month" ? "month_start" : "bucket_start";
	const table = kind === "job_month" ? "job_month where true" : `rollup where granularity = '${kind}'`;
	const within = (column: string) => `${column} >= ${instant(month.fromMs)} and ${column} < ${instant(month.toMs)}`;
	const sums = kind === "job_month" ? JOB_SUMS : SUMS;
	const columns = Object.keys(sums);
	return sql.raw(`
		with recomputed as (
			select ${bucketOf(kind, "period_start", calendar)} as bucket, ${dims}, ${columns.map((c) => `${sums[c]} as ${c}`).join(", ")}
			from charge where ${within("period_start")}${kind === "job_month" ? " and job_id is not null" : ""} group by bucket, ${dims}
		), kept as (
			select ${bucketOf(kind, start, calendar)} as bucket, ${start} as label,
				(${bucketOf(kind, start, calendar)} = ${bucketOf(kind, `(${start} - interval '1 millisecond')`, calendar)})::int as misplaced, ${dims}, ${columns.join(", ")}
			from ${table} and ${within(start)}
		), pairs as (
			select coalesce(label, ${labelOf(kind, calendar)}) as label, concat_ws(' · ', ${dims}) as dimensions, coalesce(misplaced, 0)::numeric as kept_bucket_start, 0::numeric as recomputed_bucket_start,
				${columns.map((c) => `coalesce(kept.${c}, 0)::numeric as kept_${c}, coalesce(recomputed.${c}, 0)::numeric as recomputed_${c}`).join(", ")}
			from recomputed full join kept using (bucket, ${dims})
		)
		select (extract(epoch from label) * 1000)::bigint::text as bucket_ms, dimensions, s.col as column_name, s.kept::text as kept, s.recomputed::text as recomputed
		from pairs, lateral (values ${["bucket_start", ...columns].map((c) => `('${c}', kept_${c}, recomputed_${c})`).join(", ")}) as s(col, kept, recomputed)
		where s.kept <> s.recomputed order by label, dimensions, s.col limit ${limit}`);
}

/**
 * Slices of one calendar month that differ from the rollups of the same granularity. The rollups themselves are checked against the
 * charges.
 */
export function differencesOfSlices(month: Interval, limit: number): SQL {
	const keys = "granularity, dimension, bucket_start, key, team, capacity_type, idle";
	const within = `bucket_start >= ${instant(month.fromMs)} and bucket_start < ${instant(month.toMs)}`;
	const columns = Object.keys(SUMS);
	const values = SLICE_DIMENSIONS.map((d) => `('${d}', ${d === "" ? "''" : d === "site" ? "site_id" : `${d}::text`})`).join(", ");
	return sql.raw(`
		with recomputed as (
			select granularity, d.dimension, bucket_start, d.key, team, capacity_type, capacity_type = 'owned' and class = '' as idle,
				${columns.map((c) => `sum(${c}) as ${c}`).join(", ")}
			from rollup, lateral (values ${values}) as d(dimension, key) where granularity in ('day', 'month') and ${within} group by 1, 2, 3, 4, 5, 6, 7
		), kept as (select * from rollup_slice where ${within}),
		pairs as (
			select bucket_start, concat_ws(' · ', granularity, dimension, key, team, capacity_type) as dimensions,
				${columns.map((c) => `coalesce(kept.${c}, 0)::numeric as kept_${c}, coalesce(recomputed.${c}, 0)::numeric as recomputed_${c}`).join(", ")}
			from recomputed full join kept using (${keys})
		)
		select (extract(epoch from bucket_start) * 1000)::bigint::text as bucket_ms, dimensions, s.col as column_name, s.kept::text as kept, s.recomputed::text as recomputed
		from pairs, lateral (values ${columns.map((c) => `('${c}', kept_${c}, recomputed_${c})`).join(", ")}) as s(col, kept, recomputed)
		where s.kept <> s.recomputed order by bucket_start, dimensions, s.col limit ${limit}`);
}

/**
 * Jobs with totals that differ from their months, and jobs of several months that are not marked as such. The months themselves are checked
 * against the charges.
 */
export function differencesOfJobs(limit: number): SQL {
	return sql.raw(`
		with months as (select job_id, sum(effective_micro_usd) as cost, sum(emissions_milligrams) as emissions,
			count(*) filter (where several) as marked, case when count(*) > 1 then count(*) else 0 end as several from job_month group by job_id)
		select '0' as bucket_ms, coalesce(months.job_id, job.id) as dimensions, s.col as column_name, s.kept::text as kept, s.recomputed::text as recomputed
		from months full join job on job.id = months.job_id,
			lateral (values ('cost_micro_usd', coalesce(job.cost_micro_usd, 0)::numeric, coalesce(cost, 0)),
				('emissions_milligrams', coalesce(job.emissions_milligrams, 0)::numeric, coalesce(emissions, 0)),
				('several', coalesce(marked, 0)::numeric, coalesce(several, 0)::numeric)) as s(col, kept, recomputed)
		where s.kept <> s.recomputed order by 2, 3 limit ${limit}`);
}

/** Attempts with sums that differ from their charges. */
export function differencesOfAttempts(limit: number): SQL {
	return sql.raw(`
		with recomputed as (select attempt_id as id, sum(effective_micro_usd) as cost, sum(gpu_ms) as gpu from charge where attempt_id is not null group by attempt_id)
		select '0' as bucket_ms, coalesce(recomputed.id, attempt.id) as dimensions, s.col as column_name, s.kept::text as kept, s.recomputed::text as recomputed
		from recomputed full join attempt on attempt.id = recomputed.id,
			lateral (values ('cost_micro_usd', coalesce(attempt.cost_micro_usd, 0)::numeric, coalesce(cost, 0)::numeric),
				('gpu_ms', coalesce(attempt.gpu_ms, 0)::numeric, coalesce(gpu, 0)::numeric)) as s(col, kept, recomputed)
		where s.kept <> s.recomputed order by 2, 3 limit ${limit}`);
}

/** Sums of failed or departed attempts that differ from the attempts. The attempts themselves are checked against the charges. */
export function differencesOfWork(limit: number): SQL {
	const keys = "sum_of, granularity, dimension, team, bucket_start, key, state, capacity_type";
	const columns = ["attempts", "cost_micro_usd", "gpu_ms", "without_home", "saved_ms"];
	return sql.raw(`
		with recomputed as (
			select ${keys}, sum(attempts) as attempts, sum(cost) as cost_micro_usd, sum(gpu) as gpu_ms, sum(without_home) as without_home, sum(saved) as saved_ms
			from (select p.* from attempt as a, lateral spillway_attempt_parts(a, spillway_ledger_zone()) as p) as parts group by ${keys}
		), pairs as (
			select bucket_start, concat_ws(' · ', sum_of, granularity, dimension, key, team, state, capacity_type) as dimensions,
				${columns.map((c) => `coalesce(kept.${c}, 0)::numeric as kept_${c}, coalesce(recomputed.${c}, 0)::numeric as recomputed_${c}`).join(", ")}
			from recomputed full join attempt_sum as kept using (${keys})
		)
		select (extract(epoch from bucket_start) * 1000)::bigint::text as bucket_ms, dimensions, s.col as column_name, s.kept::text as kept, s.recomputed::text as recomputed
		from pairs, lateral (values ${columns.map((c) => `('${c}', kept_${c}, recomputed_${c})`).join(", ")}) as s(col, kept, recomputed)
		where s.kept <> s.recomputed order by bucket_start, dimensions, s.col limit ${limit}`);
}

/** Jobs of several months with a span that does not match these months. */
export function differencesOfSpans(limit: number): SQL {
	return sql.raw(`
		with recomputed as (select job_id, min(month_start) as first_month, max(month_start) as last_month, sum(effective_micro_usd) as cost from job_month group by job_id having count(*) > 1)
		select '0' as bucket_ms, coalesce(recomputed.job_id, kept.job_id) as dimensions, s.col as column_name, s.kept::text as kept, s.recomputed::text as recomputed
		from recomputed full join job_span as kept on kept.job_id = recomputed.job_id,
			lateral (values ('effective_micro_usd', coalesce(kept.effective_micro_usd, 0)::numeric, coalesce(cost, 0)::numeric),
				('first_month', coalesce((extract(epoch from kept.first_month) * 1000)::bigint, 0), coalesce((extract(epoch from recomputed.first_month) * 1000)::bigint, 0)),
				('last_month', coalesce((extract(epoch from kept.last_month) * 1000)::bigint, 0), coalesce((extract(epoch from recomputed.last_month) * 1000)::bigint, 0))) as s(col, kept, recomputed)
		where s.kept <> s.recomputed order by 2, 3 limit ${limit}`);
}

/** The bucket as a time without zone: UTC for hours, the local date for days and months. */
function bucketOf(kind: SumsOf, column: string, calendar: Calendar): string {
	const hour = `date_trunc('hour', ${column} at time zone 'UTC')`;
	if (kind === "hour")
		return calendar.wholeHours ? hour : `greatest(${hour}, date_trunc('day', ${column}, ${zoneOf(calendar)}) at time zone 'UTC')`;
	return `date_trunc('${kind === "job_month" ? "month" : kind}', ${column} at time zone ${zoneOf(calendar)})`;
}

/** The instant at which such a bucket starts, for buckets without a row. */
function labelOf(kind: SumsOf, calendar: Calendar): string {
	return `bucket at time zone ${kind === "hour" ? "'UTC'" : zoneOf(calendar)}`;
}

/** Zone names contain no quotes (accounting/zone.ts), so they are safe in a statement. */
function zoneOf({ zone }: Calendar): string {
	return `'${zone.replaceAll("'", "")}'`;
}

function instant(ms: number): string {
	return `'${new Date(ms).toISOString()}'::timestamptz`;
}
