import { sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import type { DurationStat } from "#server/scheduling/types.ts";

/** How far back run times are learnt from, and how many runs a name needs before it counts. */
const LOOK_BACK_MS = 90 * DAY_MS;
const SAMPLES_MIN = 3;

/**
 * What jobs took: quantiles of run time by team and name pattern (trailing digits cut), and by team ("*").
 * Cost: one scan of the finished jobs of 90 days; the caller keeps it for a minute.
 */
export async function durationStats(db: Db, nowMs: number): Promise<DurationStat[]> {
	const since = new Date(nowMs - LOOK_BACK_MS).toISOString();
	const rows = await db.execute<{ team: string; pattern: string; samples: number; p50: number; p90: number }>(sql`
		with run as (
			select team, regexp_replace(name, '[0-9]+$', '') as pattern, extract(epoch from finished_at - started_at) * 1000 as ms
			from job where state = 'succeeded' and finished_at > ${since}::timestamptz and started_at is not null
		)
		select team, case when grouping(pattern) = 1 then '*' else pattern end as pattern, count(*)::int as samples,
			percentile_cont(0.5) within group (order by ms)::float8 as p50,
			percentile_cont(0.9) within group (order by ms)::float8 as p90
		from run group by grouping sets ((team, pattern), (team)) having count(*) >= ${SAMPLES_MIN}
		order by team, pattern`);
	return rows.map((r) => ({
		team: r.team,
		namePattern: r.pattern,
		samples: r.samples,
		p50Ms: Math.round(r.p50),
		p90Ms: Math.round(r.p90),
	}));
}
