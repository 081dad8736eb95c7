import { bucketStartMs, dayKey } from "#server/accounting/calendar.ts";
import { teamScope } from "../authorize.ts";
import type { ServiceContext } from "../context.ts";
import { ledgerCalendar } from "../ledger/calendar.ts";
import { NO_FILTERS, type SpendFilters } from "../spend/filters.ts";
import { spendRange } from "../spend/range.ts";
import { readSums } from "../spend/read-sums.ts";
import { isTime, SPEND_GROUPS, type SpendGroup, segmentsOf } from "../spend/spend-by.ts";
import { CARBON_COLUMNS, type CarbonSums, toCarbon } from "./sums.ts";

/** By time, or by a dimension: as spend is grouped. */
export const CARBON_GROUPS = SPEND_GROUPS;
export type CarbonGroup = SpendGroup;

export interface CarbonItem extends CarbonSums {
	/** The team, region … or the first day of the bucket (`2026-11-30`); "" is what has none. */
	key: string;
}

export interface Carbon {
	/** The range in whole hours, the asked one widened to them. */
	fromMs: number;
	toMs: number;
	/** The zone that days and months are counted in. */
	zone: string;
	groupBy: CarbonGroup;
	/** Most first; times in order. */
	items: CarbonItem[];
	totals: CarbonSums;
}

export interface CarbonQuery {
	fromMs: number;
	toMs: number;
	groupBy: CarbonGroup;
	filters?: SpendFilters | undefined;
}

/**
 * What was emitted in a range, by a dimension or by time. A data scientist sees their own teams; idle capacity belongs to
 * none. Cost: as spendBy, sums and never charges.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function carbonBy(ctx: Pick<ServiceContext, "actor" | "db">, input: CarbonQuery): Promise<Carbon> {
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
		columns: CARBON_COLUMNS,
	});
	const groups = Map.groupBy(rows, (row) => (time === null ? row.key : dayKey(bucketStartMs(time, row.bucketStartMs, calendar), calendar)));
	const items = [...groups].map(([key, parts]) => ({ key, ...toCarbon(parts) }));
	items.sort((a, b) => (time === null ? compare(b.totalMilligrams, a.totalMilligrams) : 0) || (a.key < b.key ? -1 : 1));
	return { ...range, zone: calendar.zone, groupBy, items, totals: toCarbon(rows) };
}

function compare(a: bigint, b: bigint): number {
	return a < b ? -1 : a > b ? 1 : 0;
}
