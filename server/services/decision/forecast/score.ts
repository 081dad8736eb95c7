import { sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { HORIZONS_MS } from "#server/scheduling/forecast/calibrate.ts";
import { horizonName } from "#server/scheduling/forecast/record.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";

/** How often forecasts were right: of `count` scored forecasts, how many starts came no later than the P50 (the P90). */
export interface ForecastScore {
	count: number;
	p50Covered: number;
	p90Covered: number;
}

export interface HorizonScore extends ForecastScore {
	/** `10m`, `3h`, … `longer`: forecasts with a median, before correction, up to this wait. */
	horizon: string;
	/** null for no upper limit. */
	untilMs: number | null;
	/** Not scored: the job left or ended before its forecast had passed. */
	censored: number;
	/** Recorded, and the job is still waiting. */
	open: number;
}

export type ForecastScores = ForecastScore & { horizons: HorizonScore[] };

/**
 * The score of wait forecasts, in total and by horizon, also for forecasts at submission only, as in a quote. The score covers the whole
 * cluster and reveals no single job.
 */
export async function readForecastScore(ctx: ServiceContext): Promise<ForecastScores & { quotes: ForecastScores }> {
	authorize(ctx, "capacity:read", null);
	return { ...summed(await scoreByHorizon(ctx.db)), quotes: summed(await scoreByHorizon(ctx.db, "quotes")) };
}

function summed(horizons: HorizonScore[]): ForecastScores {
	const sum = (field: keyof ForecastScore): number => horizons.reduce((total, h) => total + h[field], 0);
	return { count: sum("count"), p50Covered: sum("p50Covered"), p90Covered: sum("p90Covered"), horizons };
}

/**
 * All scored forecasts, or only the first one of each job's first attempt. A quote at that time would return the same forecast: same
 * decision, same snapshot. (Quotes are not stored: most are never followed by a job or a start.) A job that left or ended after its P90 is
 * a miss of both quantiles; before that it is counted as censored.
 */
export async function scoreByHorizon(db: Db, of: "all" | "quotes" = "all"): Promise<HorizonScore[]> {
	const rows = await db.execute<{
		horizon: number;
		count: number;
		p50_covered: number;
		p90_covered: number;
		censored: number;
		open: number;
	}>(sql`
		with f as (
			select horizon, outcome, told_p50_ms, told_p90_ms, extract(epoch from ended_at - at) * 1000 as wait_ms from wait_forecast
			where ${of === "all"} or (first and attempt_no = 1)
		)
		select horizon,
			count(*) filter (where outcome = 'started' or wait_ms > told_p90_ms)::int as count,
			count(*) filter (where outcome = 'started' and wait_ms <= told_p50_ms)::int as p50_covered,
			count(*) filter (where outcome = 'started' and wait_ms <= told_p90_ms)::int as p90_covered,
			count(*) filter (where outcome = 'censored' and wait_ms <= told_p90_ms)::int as censored,
			count(*) filter (where outcome is null)::int as open
		from f group by horizon`);
	const byHorizon = new Map(rows.map((row) => [row.horizon, row]));
	return HORIZONS_MS.map((untilMs, i) => {
		const row = byHorizon.get(i);
		return {
			horizon: horizonName(i),
			untilMs: Number.isFinite(untilMs) ? untilMs : null,
			count: row?.count ?? 0,
			p50Covered: row?.p50_covered ?? 0,
			p90Covered: row?.p90_covered ?? 0,
			censored: row?.censored ?? 0,
			open: row?.open ?? 0,
		};
	});
}

/** The score of similar forecasts; null until one was scored. */
export async function scoreOfHorizon(db: Db, horizon: number, of: "all" | "quotes" = "all"): Promise<ForecastScore | null> {
	const row = (await scoreByHorizon(db, of))[horizon];
	return row && row.count > 0 ? { count: row.count, p50Covered: row.p50Covered, p90Covered: row.p90Covered } : null;
}
