import { bucketStartMs, type Interval, monthKey, monthOfKey, nextBucketStartMs } from "#server/accounting/calendar.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import { monthSchema } from "#server/contract/inputs/statement.ts";
import { SpillwayError } from "#server/kernel/errors.ts";

export interface LedgerMonth extends Interval {
	month: string;
	calendar: Calendar;
}

/**
 * The month in the ledger's calendar.
 * @throws SpillwayError `invalid_input` for anything but yyyy-mm.
 */
export function ledgerMonth(month: string, calendar: Calendar): LedgerMonth {
	const range = monthSchema.safeParse(month).success ? monthOfKey(month, calendar) : null;
	if (range) return { month, calendar, ...range };
	throw new SpillwayError("invalid_input", `"${month.slice(0, 40)}" is not a month.`, {
		fix: "Use year and month, for example 2026-11.",
		fields: [{ path: "month", message: "must be a month such as 2026-11" }],
	});
}

/** The month that contains the instant. */
export function ledgerMonthAt(atMs: number, calendar: Calendar): LedgerMonth {
	return {
		month: monthKey(atMs, calendar),
		calendar,
		fromMs: bucketStartMs("month", atMs, calendar),
		toMs: nextBucketStartMs("month", atMs, calendar),
	};
}

export function previousMonth({ fromMs, calendar }: LedgerMonth): LedgerMonth {
	return ledgerMonthAt(fromMs - 1, calendar);
}
