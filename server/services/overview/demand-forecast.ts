import { type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { demandForecastInput } from "#server/contract/inputs/demand.ts";
import type { demandForecastSchema } from "#server/contract/outputs/demand.ts";
import type { Db } from "#server/db/client.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { HourSeries } from "#server/plan/profile/hour-series.ts";
import { DemandForecaster } from "#server/scheduling/demand/forecaster.ts";
import { scoreDemand } from "#server/scheduling/demand/score.ts";
import { authorize, teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";

export type DemandForecast = z.infer<typeof demandForecastSchema>;

/** Hours used for learning: a quarter of a year. */
const LEARN_HOURS = 13 * 7 * 24;
/** Minimum for a daily pattern. */
const LEARN_MIN_HOURS = 24;
const GROUPS_MAX = 12;

const COLUMNS: Record<z.infer<typeof demandForecastInput>["groupBy"], SQL> = {
	total: sql`''`,
	team: sql`team`,
	class: sql`class::text`,
	accelerator: sql`coalesce(placement->>'accelerator', spec->'resources'->'accelerators'->>0, '')`,
};

/**
 * GPUs that jobs will need, hour by hour, as the Overview counts them: from a job's submission to its end. Scored on the second
 * half of the training data.
 * Cost: the jobs of a quarter of a year, and about a millisecond for each hour and group.
 */
export async function forecastDemand(ctx: ServiceContext, raw: z.input<typeof demandForecastInput> = {}): Promise<DemandForecast> {
	authorize(ctx, "capacity:read", null);
	const { groupBy, hours } = demandForecastInput.parse(raw);
	const nowHour = Math.floor(ctx.clock.nowMs() / HOUR_MS);
	// A scientist sees the company's demand, and that of their teams.
	const teams = groupBy === "team" ? teamScope(ctx, "job:read") : null;
	const { fromHour, groups } = await readHours(ctx.db, COLUMNS[groupBy], nowHour);
	const learnedHours = nowHour - fromHour;
	const [owned] = await ctx.db.execute<{ gpus: number }>(
		sql`select coalesce(sum((nodes - nodes_to_come) * gpus_per_node), 0)::int as gpus from pool`,
	);
	const shown = [...groups].filter(([key]) => teams === null || teams.includes(key));
	const items =
		learnedHours < LEARN_MIN_HOURS ? [] : shown.slice(0, GROUPS_MAX).map(([key, demand]) => itemOf(key, fromHour, demand, hours));
	const total = groupBy === "total" ? groups.get("") : undefined;
	return { groupBy, learnedHours, ownedGpus: owned?.gpus ?? 0, items, score: total ? scoreDemand(fromHour, total) : null };
}

function itemOf(key: string, fromHour: number, demand: Float64Array, hours: number): DemandForecast["items"][number] {
	const forecaster = new DemandForecaster(fromHour);
	for (const gpus of demand) forecaster.push(gpus);
	const points = forecaster.forecast(hours);
	const round = (gpus: number): number => Math.round(gpus * 10) / 10;
	return {
		key,
		hasRange: points.every(({ hasRange }) => hasRange),
		points: points.map(({ hour, p10, p50, p90 }) => ({
			at: new Date(hour * HOUR_MS).toISOString(),
			...{ p10: round(p10), p50: round(p50), p90: round(p90) },
		})),
	};
}

/** Demand by team, hour by hour, for up to a quarter of a year. */
export function readTeamDemand(db: Db, nowHour: number): Promise<{ fromHour: number; groups: Map<string, Float64Array> }> {
	return readHours(db, COLUMNS.team, nowHour);
}

/** Mean GPUs of whole hours up to now by group, largest group first. */
async function readHours(db: Db, column: SQL, nowHour: number): Promise<{ fromHour: number; groups: Map<string, Float64Array> }> {
	const from = new Date((nowHour - LEARN_HOURS) * HOUR_MS).toISOString();
	const rows = await db.execute<{ key: string; s: string; e: string | null; gpus: number }>(sql`
		select ${column} as key, extract(epoch from submitted_at) * 1000 as s, extract(epoch from finished_at) * 1000 as e, gpus
		from job where finished_at is null or finished_at > ${from}::timestamptz order by submitted_at, id`);
	const firstHour = Math.floor(Number(rows[0]?.s ?? nowHour * HOUR_MS) / HOUR_MS);
	const fromHour = Math.min(nowHour, Math.max(nowHour - LEARN_HOURS, firstHour));
	const [fromMs, toMs] = [fromHour * HOUR_MS, nowHour * HOUR_MS];
	const series = new Map<string, { hours: HourSeries; gpuMs: number }>();
	for (const { key, s, e, gpus } of rows) {
		const [start, end] = [Math.max(fromMs, Number(s)), Math.min(toMs, e === null ? toMs : Number(e))];
		if (end <= start) continue;
		const group = series.get(key) ?? { hours: new HourSeries(), gpuMs: 0 };
		group.hours.add(start - fromMs, end - fromMs, gpus);
		group.gpuMs += (end - start) * gpus;
		series.set(key, group);
	}
	const sorted = [...series].sort(([a, x], [b, y]) => y.gpuMs - x.gpuMs || (a < b ? -1 : 1));
	return { fromHour, groups: new Map(sorted.map(([key, { hours }]) => [key, hours.finish(nowHour - fromHour)])) };
}
