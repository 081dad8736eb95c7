import { sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { HORIZONS_MS, LEARNED_FROM, learnScale, type ScoredForecast } from "#server/scheduling/forecast/calibrate.ts";
import type { ForecastScale } from "#server/scheduling/types.ts";

/** Older forecasts are ignored beyond this number: clusters, teams and habits change. */
const LOOK_BACK_DAYS = 90;

/**
 * The current correction of wait forecasts, learned from recorded ones (scheduling/forecast/calibrate). Cost: LEARNED_FROM rows per horizon
 * by index; the caller caches the result for a minute.
 */
export async function forecastScale(db: Db, nowMs: number): Promise<ForecastScale> {
	const now = new Date(nowMs).toISOString();
	const rows = await db.execute<Row>(sql`
		select h.horizon, f.* from generate_series(0, ${HORIZONS_MS.length - 1}::int) h(horizon)
		cross join lateral (
			select extract(epoch from f.at)::float8 * 1000 as at_ms, f.replay_p50_ms::float8, f.replay_p90_ms::float8,
				f.told_p50_ms::float8, f.told_p90_ms::float8, f.outcome,
				extract(epoch from coalesce(f.ended_at, ${now}::timestamptz) - f.at)::float8 * 1000 as wait_ms,
				(case when f.ended_at is null then j.forecast->>'p50Ms' end)::float8 as p50_at_ms
			from wait_forecast f left join job j on f.ended_at is null and j.id = f.job_id
			where f.horizon = h.horizon and f.at > ${now}::timestamptz - make_interval(days => ${LOOK_BACK_DAYS})
			order by f.at desc limit ${LEARNED_FROM}
		) f`);
	const byHorizon: ScoredForecast[][] = HORIZONS_MS.map(() => []);
	for (const row of rows) byHorizon[row.horizon]?.push(scored(row, nowMs));
	return learnScale(byHorizon);
}

interface Row extends Record<string, unknown> {
	horizon: number;
	at_ms: number;
	replay_p50_ms: number;
	replay_p90_ms: number;
	told_p50_ms: number;
	told_p90_ms: number;
	outcome: "started" | "censored" | null;
	wait_ms: number;
	/** The current forecast for an open forecast's job. */
	p50_at_ms: number | null;
}

function scored(row: Row, nowMs: number): ScoredForecast {
	return {
		atMs: row.at_ms,
		replayP50Ms: row.replay_p50_ms,
		replayP90Ms: row.replay_p90_ms,
		forecastP50Ms: row.told_p50_ms,
		forecastP90Ms: row.told_p90_ms,
		waitMs: Math.max(0, row.wait_ms),
		known: row.outcome === "started",
		leftMs: row.p50_at_ms === null ? null : Math.max(0, row.p50_at_ms - nowMs),
	};
}
