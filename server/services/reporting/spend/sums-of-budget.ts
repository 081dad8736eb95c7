import { and, eq, gte, inArray, lt, sql } from "drizzle-orm";
import { bucketStartMs, type Interval, type Period } from "#server/accounting/calendar.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { budgetSlice } from "#server/db/schema/budget.ts";
import { CHARGE_TOTALS, type ChargeTotals } from "./charge-totals.ts";
import { restricted, type SpendFilters } from "./filters.ts";

export interface BudgetSums {
	totals: ChargeTotals;
	/** The amount that the budget counts. */
	countedMicroUsd: bigint;
	/** Days that have charges. */
	days: { granularity: "day"; bucketStartMs: number; charges: bigint }[];
}

interface Selection {
	budgetId: string;
	/** All days that overlap the range. */
	periods: readonly Period[];
	range: Interval;
	calendar: Calendar;
	filters: SpendFilters;
	teams: readonly string[] | null;
}

/**
 * Sums of a budget over whole days, from its stored sums, regardless of the number of jobs. null when these do not suffice:
 * for a part of a day, and for filters on anything but teams.
 */
export async function sumsOfBudget(db: DbOrTx, s: Selection): Promise<BudgetSums | null> {
	const wholeDays = [s.range.fromMs, s.range.toMs].every((ms) => bucketStartMs("day", ms, s.calendar) === ms);
	if (!wholeDays || restricted(s.filters).some((name) => name !== "team")) return null;
	const keys = s.periods.map(({ key }) => key);
	const of = [s.filters.team?.length ? s.filters.team : null, s.teams].flatMap((teams) => (teams === null ? [] : [[...teams]]));
	const rows = await db
		.select({
			dayMs: sql<string>`(extract(epoch from ${budgetSlice.dayStart}) * 1000)::bigint::text`,
			counted: sql<string>`sum(${budgetSlice.postedMicroUsd})::text`,
			...Object.fromEntries(CHARGE_TOTALS.map((name) => [name, sql<string>`sum(${budgetSlice[name]})::text`])),
		})
		.from(budgetSlice)
		.where(
			and(
				eq(budgetSlice.budgetId, s.budgetId),
				inArray(budgetSlice.periodKey, keys),
				gte(budgetSlice.dayStart, new Date(s.range.fromMs)),
				lt(budgetSlice.dayStart, new Date(s.range.toMs)),
				...of.map((teams) => (teams.length === 0 ? sql`false` : inArray(budgetSlice.team, teams))),
			),
		)
		.groupBy(budgetSlice.dayStart);
	const sums = rows as ({ dayMs: string; counted: string } & Record<keyof ChargeTotals, string>)[];
	const sumOf = (name: keyof ChargeTotals | "counted") => sums.reduce((sum, row) => sum + BigInt(row[name]), 0n);
	return {
		totals: Object.fromEntries(CHARGE_TOTALS.map((name) => [name, sumOf(name)])) as ChargeTotals,
		countedMicroUsd: sumOf("counted"),
		days: sums.map(({ dayMs, charges }) => ({ granularity: "day", bucketStartMs: Number(dayMs), charges: BigInt(charges) })),
	};
}
