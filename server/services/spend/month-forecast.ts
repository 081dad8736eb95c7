import { bucketStartMs, nextBucketStartMs } from "#server/accounting/calendar.ts";
import { forecastSpend, type SpendForecast } from "#server/accounting/forecast.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import type { ServiceContext } from "../context.ts";
import { spendByDay } from "./by-day.ts";

/** Whole days before today that the forecast learns from: each weekday four times. */
const HISTORY_DAYS = 28;

export interface MonthForecast {
	monthStartMs: number;
	monthEndMs: number;
	spentCloudMicroUsd: bigint;
	spentTotalMicroUsd: bigint;
	/** Estimates by accounting/forecast.ts; null with too little history. */
	cloud: SpendForecast | null;
	total: SpendForecast | null;
}

/**
 * What this UTC month will have cost at its end, for the cloud and for everything, from the days that are on record.
 * @throws SpillwayError `forbidden`.
 */
export async function monthForecast(ctx: Pick<ServiceContext, "actor" | "db" | "clock">): Promise<MonthForecast> {
	const nowMs = ctx.clock.nowMs();
	const monthStartMs = bucketStartMs("month", nowMs);
	const monthEndMs = nextBucketStartMs("month", nowMs);
	const todayMs = bucketStartMs("day", nowMs);
	const fromMs = Math.min(monthStartMs, todayMs - HISTORY_DAYS * DAY_MS);
	const days = await spendByDay(ctx, { fromMs, toMs: nowMs + 1 });
	// Before the first charge there was no ledger; such days are missing rather than free.
	const firstMs = days.find((d) => d.totalMicroUsd !== 0n)?.dayStartMs ?? nowMs;
	const history = days.filter((d) => d.dayStartMs > firstMs && d.dayStartMs >= todayMs - HISTORY_DAYS * DAY_MS && d.dayStartMs < todayMs);
	const month = days.filter((d) => d.dayStartMs >= monthStartMs);
	const forecastOf = (field: "cloudMicroUsd" | "totalMicroUsd") => {
		const spentSoFarMicroUsd = month.reduce((sum, d) => sum + d[field], 0n);
		const daily = history.map((d) => ({ dayStartMs: d.dayStartMs, microUsd: d[field] }));
		return { spentSoFarMicroUsd, forecast: forecastSpend({ spentSoFarMicroUsd, history: daily, nowMs, periodEndMs: monthEndMs }) };
	};
	const cloud = forecastOf("cloudMicroUsd");
	const total = forecastOf("totalMicroUsd");
	return {
		monthStartMs,
		monthEndMs,
		spentCloudMicroUsd: cloud.spentSoFarMicroUsd,
		spentTotalMicroUsd: total.spentSoFarMicroUsd,
		cloud: cloud.forecast,
		total: total.forecast,
	};
}
