import { type Bucket, bucketStartMs, dayKey, type Interval } from "#server/accounting/calendar.ts";
import { coverLessHours, coverRange, type Segment } from "#server/accounting/cover-range.ts";
import type { RollupSums } from "#server/accounting/rollup.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import { SPEND_DIMENSIONS, type SPEND_GROUPS, TIMES } from "#server/contract/inputs/spend.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { NO_FILTERS, type SpendFilters } from "./filters.ts";
import { spendRange } from "./range.ts";
import { readSums, type SumsRow } from "./read-sums.ts";

export type SpendGroup = (typeof SPEND_GROUPS)[number];

/** Sums of the charges in a range, by one dimension or by time. */
export interface GroupedSums<Sums> {
	/** The requested range, widened to whole hours. */
	fromMs: number;
	toMs: number;
	/** The time zone that defines days and months. */
	zone: string;
	groupBy: SpendGroup;
	/** Largest first; time buckets in order. `key`: the team, region … or the bucket's first day (`2026-11-30`); "" for none. */
	items: ({ key: string } & Sums)[];
	totals: Sums;
}

export interface SpendQuery {
	fromMs: number;
	toMs: number;
	groupBy: SpendGroup;
	filters?: SpendFilters | undefined;
}

interface Kind<Column extends keyof RollupSums, Sums> {
	columns: readonly Column[];
	/** Totals over rows of all capacity types. */
	add: (rows: Iterable<SumsRow<Column>>) => Sums;
	/** The sort keys of groups. */
	size: (sums: Sums) => bigint;
	/** Whether rows include their day (or hour) even when groups are not times. */
	byDay?: boolean;
}

/**
 * A data scientist sees their own teams; idle capacity belongs to none. Cost: reads the fewest stored sums that cover the
 * range (read-sums.ts), never charges.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function groupSums<Column extends keyof RollupSums, Sums extends object>(
	ctx: Pick<ServiceContext, "actor" | "db">,
	{ groupBy, filters = NO_FILTERS, ...asked }: SpendQuery,
	{ columns, add, size, byDay = false }: Kind<Column, Sums>,
): Promise<GroupedSums<Sums>> {
	const teams = teamScope(ctx, "spend:read");
	const calendar = await ledgerCalendar(ctx.db);
	const range = spendRange(asked, calendar);
	const time = TIMES.find((name) => name === groupBy) ?? null;
	const dimension = SPEND_DIMENSIONS.find((name) => name === groupBy) ?? null;
	const cover = byDay ? { segments: coverRange(range, "day", calendar) } : segmentsOf(range, time, calendar);
	const query = { ...cover, groupBy: dimension, byBucket: byDay || time !== null, filters, teams, columns };
	const rows = await readSums(ctx.db, query);
	const groups = Map.groupBy(rows, (row) => (time === null ? row.key : dayKey(bucketStartMs(time, row.bucketStartMs, calendar), calendar)));
	const items = [...groups].map(([key, parts]) => ({ key, ...add(parts) }));
	items.sort((a, b) => (time === null ? compare(size(b), size(a)) : 0) || (a.key < b.key ? -1 : 1));
	return { ...range, zone: calendar.zone, groupBy, items, totals: add(rows) };
}

/** Groups without time use the fewest hourly sums; groups by time stay within their buckets. */
export function segmentsOf(range: Interval, time: Bucket | null, calendar: Calendar): { segments: Segment[]; less?: Segment[] } {
	if (time !== null) return { segments: coverRange(range, time === "month" ? "month" : "day", calendar) };
	const { add, less } = coverLessHours(range, calendar);
	return { segments: add, less };
}

function compare(a: bigint, b: bigint): number {
	return a < b ? -1 : a > b ? 1 : 0;
}
