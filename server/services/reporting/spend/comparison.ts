import { bucketStartMs, bucketsOf, type Interval } from "#server/accounting/calendar.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import type { SpendQuery } from "./group-sums.ts";
import { spendRange } from "./range.ts";
import { type Spend, spendBy } from "./spend-by.ts";

/**
 * The comparison range: the same number of months before for whole months, otherwise the preceding range of equal length.
 * For an unfinished range, only the corresponding elapsed part; null before its first full hour.
 */
export function previousRange(range: Interval, nowMs: number, calendar: Calendar): Interval | null {
	const endMs = Math.min(range.toMs, Math.floor(nowMs / HOUR_MS) * HOUR_MS);
	const passedMs = endMs - range.fromMs;
	if (passedMs <= 0) return null;
	const isMonthStart = (atMs: number) => bucketStartMs("month", atMs, calendar) === atMs;
	const over = range.toMs <= nowMs;
	if (isMonthStart(range.fromMs) && (!over || isMonthStart(range.toMs))) {
		let fromMs = range.fromMs;
		for (const _ of bucketsOf("month", { fromMs: range.fromMs, toMs: endMs }, calendar))
			fromMs = bucketStartMs("month", fromMs - 1, calendar);
		return { fromMs, toMs: over ? range.fromMs : Math.min(range.fromMs, fromMs + passedMs) };
	}
	const fromMs = range.fromMs - (range.toMs - range.fromMs);
	return { fromMs, toMs: over ? range.fromMs : fromMs + passedMs };
}

/**
 * The same sums for the previous range; null when there is none.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function compareSpend(ctx: Pick<ServiceContext, "actor" | "db" | "clock">, query: SpendQuery): Promise<Spend | null> {
	const calendar = await ledgerCalendar(ctx.db);
	const before = previousRange(spendRange(query, calendar), ctx.clock.nowMs(), calendar);
	return before === null ? null : spendBy(ctx, { ...query, ...before });
}
