import { z } from "zod";
import { bucketStartMs, nextBucketStartMs } from "#server/accounting/calendar.ts";
import { SPEND_GROUPS, spendFilters } from "#server/contract/inputs/spend.ts";
import { instantMs } from "#server/contract/parts.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { type SpendDay, spendByDay, toDays } from "./by-day.ts";
import { compareSpend } from "./comparison.ts";
import type { SpendFilters } from "./filters.ts";
import { ledgerStartMs } from "./ledger-start.ts";
import { type LostWork, lostWork } from "./lost-work.ts";
import { type MonthForecast, monthForecast } from "./month-forecast.ts";
import { bucketForRange, SERIES_BUCKETS, type SpendSeries, spendSeries } from "./series.ts";
import { type Spend, spendBy } from "./spend-by.ts";
import { type SpotSavings, spotSavings } from "./spot-savings.ts";

/** Half a year, to compare months with each other. */
const MONTHS_SHOWN = 6;

/**
 * Parameters of the Spend screen. `fromMs`, `toMs`: any range up to ten years; whole days are read fastest. `groupBy`: the
 * table, by a dimension or by time. `bucket`: the chart; by the range's length when omitted. `filters`: see spendFilters; they
 * apply to the whole screen.
 */
export const spendPageInput = z.strictObject({
	fromMs: instantMs,
	toMs: instantMs,
	groupBy: z.enum(SPEND_GROUPS).default("team"),
	bucket: z.enum(SERIES_BUCKETS).optional(),
	filters: spendFilters.default({}),
});
export type SpendPageInput = z.input<typeof spendPageInput>;

/** Everything that the Spend screen shows for one range. */
export interface SpendPage {
	/** By day; empty when the range is longer than two months, which the series shows by week or month. */
	days: SpendDay[];
	/** The chart: by day, week or month. */
	series: SpendSeries;
	groups: Spend;
	/** The same groups in the previous range, for the elapsed part of this one (previousRange); null without one. */
	before: Spend | null;
	/** The most recent months including the current one, regardless of the range. */
	months: SpendSeries;
	/** Start of the first day with charges: earlier cost is unknown. */
	ledgerStartMs: number | null;
	/** $ per GPU-hour by GPU model, for owned and cloud capacity. */
	byAccelerator: Spend;
	lost: LostWork;
	saved: SpotSavings;
	forecast: MonthForecast;
}

export async function spendPage(ctx: ServiceContext, raw: SpendPageInput): Promise<SpendPage> {
	const { fromMs, toMs, groupBy, bucket, filters } = spendPageInput.parse(raw);
	const range = { fromMs, toMs, filters };
	const [series, groups, before, months, startMs, byAccelerator, lost, saved, forecast] = await Promise.all([
		spendSeries(ctx, { ...range, bucket }),
		spendBy(ctx, { ...range, groupBy }),
		compareSpend(ctx, { ...range, groupBy }),
		lastMonths(ctx, filters),
		ledgerStartMs(ctx),
		spendBy(ctx, { ...range, groupBy: "accelerator" }),
		lostWork(ctx, range),
		spotSavings(ctx, range),
		monthForecast(ctx, filters),
	]);
	const days = series.bucket === "day" ? toDays(series) : bucketForRange(range) === "day" ? await spendByDay(ctx, range) : [];
	return { days, series, groups, before, months, ledgerStartMs: startMs, byAccelerator, lost, saved, forecast };
}

async function lastMonths(ctx: ServiceContext, filters: SpendFilters): Promise<SpendSeries> {
	const calendar = await ledgerCalendar(ctx.db);
	const toMs = nextBucketStartMs("month", ctx.clock.nowMs(), calendar);
	let fromMs = toMs;
	for (let n = 0; n < MONTHS_SHOWN; n++) fromMs = bucketStartMs("month", fromMs - 1, calendar);
	return spendSeries(ctx, { fromMs, toMs, bucket: "month", filters });
}
