import { nextBucketStartMs } from "#server/accounting/calendar.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { closingDay } from "./closing-day.ts";
import { type LedgerMonth, ledgerMonthAt, previousMonth } from "./month.ts";

/** The previous month from its closing day on; null before that day. */
export async function dueMonth(db: DbOrTx, nowMs: number): Promise<LedgerMonth | null> {
	const now = ledgerMonthAt(nowMs, await ledgerCalendar(db));
	return nowMs < dayStartMs(now, await closingDay(db)) ? null : previousMonth(now);
}

/** Uses days of the ledger's calendar, which are not all 24 hours long. */
function dayStartMs({ fromMs, calendar }: LedgerMonth, day: number): number {
	let at = fromMs;
	for (let n = 1; n < day; n++) at = nextBucketStartMs("day", at, calendar);
	return at;
}
