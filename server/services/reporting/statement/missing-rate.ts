import type { Converter } from "#server/accounting/exchange.ts";
import type { Db } from "#server/db/client.ts";
import type { AlertMissingRate } from "#server/domain/alert-facts.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { openConverter } from "#server/services/pricing/currency/rates.ts";
import { LEDGER_CURRENCY, reportingCurrency } from "#server/services/pricing/currency/reporting-currency.ts";
import { dueMonth } from "./due-month.ts";
import { readDayRows } from "./read-days.ts";
import { newestSums } from "./stored.ts";

/**
 * The first day without an exchange rate, which prevents closing the previous month automatically; null when no rate
 * is missing. Cost: the month's rollups by day, only while it is due and still open.
 */
export async function findMissingRate(db: Db, nowMs: number): Promise<AlertMissingRate | null> {
	const currency = await reportingCurrency(db);
	if (currency === LEDGER_CURRENCY) return null;
	const month = await dueMonth(db, nowMs);
	if (!month || (await newestSums(db, month.month)).size > 0) return null;
	const [converter, rows] = await Promise.all([openConverter(db, currency, month, month.calendar), readDayRows(db, month, "")]);
	const [day] = rows
		.filter((row) => !hasRate(converter, row))
		.map((row) => row.day)
		.sort();
	return day === undefined ? null : { month: month.month, currency, day };
}

function hasRate(converter: Converter, { effectiveMicroUsd, day }: { effectiveMicroUsd: bigint; day: string }): boolean {
	try {
		converter.convert(effectiveMicroUsd, day);
		return true;
	} catch (error) {
		if (error instanceof SpillwayError && error.code === "conflict") return false;
		throw error;
	}
}
