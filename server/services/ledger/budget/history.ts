import { desc, eq } from "drizzle-orm";
import { periodOf } from "#server/accounting/calendar.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import type { Db } from "#server/db/client.ts";
import { budgetPeriod } from "#server/db/schema/budget.ts";
import { policiesBefore } from "#server/services/policy/at.ts";
import type { BudgetFigures } from "./figures.ts";

export interface PastPeriod {
	periodKey: string;
	fromMs: number;
	toMs: number;
	postedMicroUsd: bigint;
	/** The cap in effect at its end; null when no policy had this budget for this kind of period then. */
	capMicroUsd: bigint | null;
}

/** Number of periods shown. */
const PERIODS_MAX = 24;

/** Ended periods, latest first. */
export async function readPastPeriods(db: Db, { rule, period }: BudgetFigures, calendar: Calendar): Promise<PastPeriod[]> {
	const rows = await db
		.select()
		.from(budgetPeriod)
		.where(eq(budgetPeriod.budgetId, rule.id))
		.orderBy(desc(budgetPeriod.periodKey))
		.limit(PERIODS_MAX + 1);
	const past = rows.filter((r) => r.periodKey < period.key);
	if (past.length === 0) return [];
	const inForce = await policiesBefore(db, period.fromMs);
	return past.flatMap(({ periodKey, postedMicroUsd }) => {
		// Noon of the first day is within the period in every time zone.
		const at = periodOf(rule.period, Date.parse(`${periodKey}T12:00:00Z`), calendar);
		// A row of another kind of period, from a time when this budget used it.
		if (at.key !== periodKey) return [];
		const then = inForce(at.toMs)?.budgets.find((b) => b.id === rule.id && b.period === rule.period);
		return [{ periodKey, fromMs: at.fromMs, toMs: at.toMs, postedMicroUsd, capMicroUsd: then?.capMicroUsd ?? null }];
	});
}
