import { type Bucket, bucketStartMs, dayKey, type Interval } from "#server/accounting/calendar.ts";
import { coverLessHours, coverRange, type Segment } from "#server/accounting/cover-range.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import { teamScope } from "../authorize.ts";
import type { ServiceContext } from "../context.ts";
import { ledgerCalendar } from "../ledger/calendar.ts";
import { NO_FILTERS, SPEND_DIMENSIONS, type SpendDimension, type SpendFilters } from "./filters.ts";
import { spendRange } from "./range.ts";
import { readSums } from "./read-sums.ts";
import { SPEND_COLUMNS, type SpendSums, toSpend } from "./sums.ts";

/** By time, or by a dimension. */
export const SPEND_GROUPS = ["day", "week", "month", ...SPEND_DIMENSIONS] as const;
export type SpendGroup = (typeof SPEND_GROUPS)[number];

export interface SpendItem extends SpendSums {
	/** The team, region … or the first day of the bucket (`2026-11-30`); "" is what has none, such as idle capacity by team. */
	key: string;
}

export interface Spend {
	/** The range in whole hours, the asked one widened to them. */
	fromMs: number;
	toMs: number;
	/** The zone that days and months are counted in. */
	zone: string;
	groupBy: SpendGroup;
	/** Dearest first; times in order. */
	items: SpendItem[];
	totals: SpendSums;
}

export interface SpendQuery {
	fromMs: number;
	toMs: number;
	groupBy: SpendGroup;
	filters?: SpendFilters | undefined;
}

/**
 * What was spent in a range, by one dimension or by time. A data scientist sees their own teams; idle capacity belongs to
 * none. Cost: reads as few rows of sums as cover the range (read-sums.ts), never charges.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function spendBy(ctx: Pick<ServiceContext, "actor" | "db">, input: SpendQuery): Promise<Spend> {
	const teams = teamScope(ctx, "spend:read");
	const calendar = await ledgerCalendar(ctx.db);
	const range = spendRange(input, calendar);
	const { groupBy, filters = NO_FILTERS } = input;
	const time = isTime(groupBy) ? groupBy : null;
	const rows = await readSums(ctx.db, {
		...segmentsOf(range, time, calendar),
		groupBy: isTime(groupBy) ? null : groupBy,
		byBucket: time !== null,
		filters,
		teams,
		columns: SPEND_COLUMNS,
	});
	const groups = Map.groupBy(rows, (row) => (time === null ? row.key : bucketKey(time, row.bucketStartMs, calendar)));
	const items = [...groups].map(([key, parts]) => ({ key, ...toSpend(parts) }));
	items.sort((a, b) => (time === null ? Number(b.totalMicroUsd - a.totalMicroUsd) : 0) || (a.key < b.key ? -1 : 1));
	return { ...range, zone: calendar.zone, groupBy, items, totals: toSpend(rows) };
}

/** Sums of no time take the fewest hours; those of a time stay within its buckets. */
export function segmentsOf(range: Interval, time: Bucket | null, calendar: Calendar): { segments: Segment[]; less?: Segment[] } {
	if (time !== null) return { segments: coverRange(range, time === "month" ? "month" : "day", calendar) };
	const { add, less } = coverLessHours(range, calendar);
	return { segments: add, less };
}

export function isTime(groupBy: SpendGroup): groupBy is Exclude<SpendGroup, SpendDimension> {
	return groupBy === "day" || groupBy === "week" || groupBy === "month";
}

function bucketKey(bucket: Bucket, atMs: number, calendar: Calendar): string {
	return dayKey(bucketStartMs(bucket, atMs, calendar), calendar);
}
