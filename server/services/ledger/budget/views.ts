import { inArray } from "drizzle-orm";
import { periodOf } from "#server/accounting/calendar.ts";
import { type Calendar, UTC } from "#server/accounting/zone.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { budgetPeriod } from "#server/db/schema/budget.ts";
import type { BudgetRule } from "#server/domain/policy.ts";
import type { BudgetView } from "#server/scheduling/types.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";

/**
 * Each budget with the posted sum of its current period and the holds of all live instances, in rule order. Same arithmetic as placeHold; a
 * budget without charges has zeros.
 */
export async function budgetViews(db: DbOrTx, rules: readonly BudgetRule[], nowMs: number): Promise<BudgetView[]> {
	return viewsOf(await readBudgetPeriods(db, rules), rules, nowMs);
}

export interface BudgetPeriods {
	rows: readonly (typeof budgetPeriod.$inferSelect)[];
	calendar: Calendar;
}

export async function readBudgetPeriods(db: DbOrTx, rules: readonly BudgetRule[]): Promise<BudgetPeriods> {
	if (rules.length === 0) return { rows: [], calendar: UTC };
	const rows = await db
		.select()
		.from(budgetPeriod)
		.where(
			inArray(
				budgetPeriod.budgetId,
				rules.map((r) => r.id),
			),
		);
	return { rows, calendar: await ledgerCalendar(db) };
}

export function viewsOf({ rows, calendar }: BudgetPeriods, rules: readonly BudgetRule[], nowMs: number): BudgetView[] {
	return rules.map((rule) => {
		const own = rows.filter((r) => r.budgetId === rule.id);
		const { key } = periodOf(rule.period, nowMs, calendar);
		return {
			id: rule.id,
			scope: rule.scope,
			capMicroUsd: rule.capMicroUsd,
			postedMicroUsd: own.find((r) => r.periodKey === key)?.postedMicroUsd ?? 0n,
			heldMicroUsd: own.reduce((sum, r) => sum + r.heldMicroUsd, 0n),
		};
	});
}
