import type { Interval } from "#server/accounting/calendar.ts";
import { TOP_JOBS } from "#server/accounting/statement.ts";
import type { MonthFacts } from "#server/accounting/statement-facts.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { openConverter } from "#server/services/pricing/currency/rates.ts";
import { LEDGER_CURRENCY } from "#server/services/pricing/currency/reporting-currency.ts";
import { ledgerStartMs } from "../spend/ledger-start.ts";
import { readVarianceCells } from "../spend/variance-cells.ts";
import { type LedgerMonth, previousMonth } from "./month.ts";
import { readCheapest } from "./read-cheapest.ts";
import { readDayRows } from "./read-days.ts";
import { policyOfMonth, policyOfToday, readBills, readBudgets, readNotes } from "./read-money.ts";
import { readRows, readTopJobs } from "./read-rows.ts";
import { readRowsOf } from "./read-rows-of.ts";
import { readBurstWaits, readWaste } from "./read-work.ts";

/**
 * All data for a month's statements. Call it in a transaction with a single snapshot.
 * @param currency adds amounts in this currency; USD adds none.
 * @param only reads only this team's statement ("" is the company); null reads all.
 */
export async function readMonthFacts(
	db: DbOrTx,
	month: LedgerMonth,
	options: { only: string | null; postedUntilMs: number; postedUntilNumber?: number; currency: string },
): Promise<MonthFacts> {
	const { only, postedUntilMs, postedUntilNumber, currency } = options;
	const { rows, projectRows, itemRows } = only === null ? withSameRows(await readRows(db, month)) : await readRowsOf(db, month, only);
	const teams = only === null ? teamsOf(rows) : [only];
	const policy = await policyOfMonth(db, month);
	// Before the first policy there were no budgets; today's policy shows what they would have allowed.
	const allowed = policy ?? (await policyOfToday(db));
	const notes = await readNotes(db, month.month);
	const accelerators = new Set(
		itemRows.flatMap((r) => (r.month === "this" && r.capacityType === "owned" && !r.idle ? [r.accelerator] : [])),
	);
	return {
		month: month.month,
		fromMs: month.fromMs,
		toMs: month.toMs,
		zone: month.calendar.zone,
		postedUntilMs,
		...(postedUntilNumber === undefined ? {} : { postedUntilNumber }),
		...(await ledgerBegins(db, month)),
		...(postedUntilMs < month.toMs ? {} : { varianceCells: await readBothMonths(db, month) }),
		...(currency === LEDGER_CURRENCY ? {} : { inCurrency: await readInCurrency(db, month, { currency, team: only ?? "" }) }),
		...{ rows, projectRows, itemRows },
		topJobs: await readTopJobs(db, month, teams, TOP_JOBS),
		waste: await readWaste(db, month, only),
		burst: await readBurstWaits(db, month, only),
		cheapest: allowed ? await readCheapest(db, month, allowed, [...accelerators].sort()) : [],
		budgets: await readBudgets(db, month, policy, notes),
		bills: await readBills(db, month.month, notes),
	};
}

/** Returns the same rows for all three fields: one read covers all statements of a month. */
const withSameRows = (rows: MonthFacts["rows"]) => ({ rows, projectRows: rows, itemRows: rows });

/** The company, and every team with charges in the month. */
export function teamsOf(rows: MonthFacts["rows"]): string[] {
	return ["", ...new Set(rows.flatMap((r) => (r.month === "this" && r.team !== "" ? [r.team] : [])))].sort();
}

/** When the ledger begins within this month or the previous one, that month is partial. */
async function ledgerBegins(db: DbOrTx, month: LedgerMonth): Promise<{ ledgerFromMs?: number }> {
	const startMs = await ledgerStartMs({ db });
	return startMs !== null && startMs > previousMonth(month).fromMs && startMs < month.toMs ? { ledgerFromMs: startMs } : {};
}

async function readInCurrency(db: DbOrTx, month: LedgerMonth, { currency, team }: { currency: string; team: string }) {
	return { converter: await openConverter(db, currency, month, month.calendar), rows: await readDayRows(db, month, team) };
}

async function readBothMonths(db: DbOrTx, month: LedgerMonth): Promise<NonNullable<MonthFacts["varianceCells"]>> {
	const of = (range: Interval) => readVarianceCells(db, range, month.calendar);
	return { before: await of(previousMonth(month)), after: await of(month) };
}
