import { bucketStartMs, bucketsOf, nextBucketStartMs } from "#server/accounting/calendar.ts";
import { forecastSpend, type SpendForecast } from "#server/accounting/forecast.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { spendByDay } from "./by-day.ts";
import { NO_FILTERS, type SpendFilters } from "./filters.ts";

/** The parts of a day's forecast: owned, idle and each kind of cloud capacity. */
const PARTS = ["ownedMicroUsd", "idleMicroUsd", "reservedMicroUsd", "spotMicroUsd", "onDemandMicroUsd"] as const;

/** Expected cost of a day, or of the rest of today. Estimates; low and high cover all parts together. */
export interface ForecastDay extends Record<(typeof PARTS)[number], bigint> {
	dayStartMs: number;
	lowMicroUsd: bigint;
	highMicroUsd: bigint;
}

/** Whole days before today that the forecast uses: each weekday four times. */
const HISTORY_DAYS = 28;

export interface MonthForecast {
	monthStartMs: number;
	monthEndMs: number;
	spentCloudMicroUsd: bigint;
	spentTotalMicroUsd: bigint;
	/** Estimates from accounting/forecast.ts; null with too little history. */
	cloud: SpendForecast | null;
	total: SpendForecast | null;
	/** Today and the remaining days of the month; empty with too little history. */
	days: ForecastDay[];
}

/**
 * Forecast cost of this month of the ledger's calendar at its end, for the cloud and in total, from the recorded days.
 * @throws SpillwayError `forbidden`.
 */
export async function monthForecast(
	ctx: Pick<ServiceContext, "actor" | "db" | "clock">,
	filters: SpendFilters = NO_FILTERS,
): Promise<MonthForecast> {
	const nowMs = ctx.clock.nowMs();
	const calendar = await ledgerCalendar(ctx.db);
	const monthStartMs = bucketStartMs("month", nowMs, calendar);
	const monthEndMs = nextBucketStartMs("month", nowMs, calendar);
	const todayMs = bucketStartMs("day", nowMs, calendar);
	const historyStartMs = bucketStartMs("day", todayMs - HISTORY_DAYS * DAY_MS + DAY_MS / 2, calendar);
	const fromMs = Math.min(monthStartMs, historyStartMs);
	const days = await spendByDay(ctx, { fromMs, toMs: nextBucketStartMs("day", nowMs, calendar), filters });
	// Before the first charge there was no ledger, so those days are missing rather than free.
	const firstMs = days.find((d) => d.totalMicroUsd !== 0n)?.dayStartMs ?? nowMs;
	const history = days.filter((d) => d.dayStartMs > firstMs && d.dayStartMs >= historyStartMs && d.dayStartMs < todayMs);
	const month = days.filter((d) => d.dayStartMs >= monthStartMs);
	const forecastOf = (field: "cloudMicroUsd" | "totalMicroUsd") => {
		const spentSoFarMicroUsd = month.reduce((sum, d) => sum + d[field], 0n);
		const daily = history.map((d) => ({ dayStartMs: d.dayStartMs, microUsd: d[field] }));
		return {
			spentSoFarMicroUsd,
			forecast: forecastSpend({ spentSoFarMicroUsd, history: daily, nowMs, periodEndMs: monthEndMs, calendar }),
		};
	};
	const toCome = (dayStartMs: number): ForecastDay[] => {
		const day = { nowMs: Math.max(nowMs, dayStartMs), periodEndMs: nextBucketStartMs("day", dayStartMs, calendar), calendar };
		const of = (field: (typeof PARTS)[number] | "totalMicroUsd") =>
			forecastSpend({ ...day, spentSoFarMicroUsd: 0n, history: history.map((d) => ({ dayStartMs: d.dayStartMs, microUsd: d[field] })) });
		const total = of("totalMicroUsd");
		if (total === null) return [];
		const parts = Object.fromEntries(PARTS.map((part) => [part, of(part)?.expectedMicroUsd ?? 0n])) as Record<
			(typeof PARTS)[number],
			bigint
		>;
		return [{ dayStartMs, ...parts, lowMicroUsd: total.lowMicroUsd, highMicroUsd: total.highMicroUsd }];
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
		days: bucketsOf("day", { fromMs: todayMs, toMs: monthEndMs }, calendar).flatMap((d) => toCome(d.fromMs)),
	};
}
