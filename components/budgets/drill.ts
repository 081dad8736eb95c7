import type { BudgetRow } from "#components/budgets/params.ts";
import { scopeFilters } from "#components/budgets/prepare-rows.ts";
import { narrowed } from "#components/spend/drill.ts";
import { chargesHref, type SpendView } from "#components/spend/view.ts";
import { addDays, monthStart } from "#components/spend/zone-days.ts";
import { CHARGES_OF_BUDGETS } from "#server/domain/budget-charges.ts";

const MONTHS = { month: 1, quarter: 3, year: 12 } as const;

/** Charges counted by a budget. The period key is its first day in the ledger's time zone. */
type Counted = Pick<BudgetRow, "id" | "scope" | "period" | "periodKey"> & { seesAllTeams?: boolean };

interface Within {
	/** A day of the period, such as `2026-11-30`. */
	day?: string;
	team?: string;
	job?: string;
	/** The format of parseLedgerCut(). */
	asOf?: string | null;
}

/**
 * Links to the charges that a budget counts: by filters if its scope is only team, project and class, otherwise by
 * budget. null if there can be none, or if the sum includes teams that the user cannot see.
 */
export function budgetDrill(
	{ id, scope, period, periodKey, seesAllTeams = true }: Counted,
	{ day, team, job, asOf = null }: Within = {},
): string | null {
	if (!seesAllTeams && team === undefined && job === undefined) return null;
	const own = scopeFilters(scope);
	const counted = own ? narrowed(own, CHARGES_OF_BUDGETS) : {};
	const filters = counted && (team === undefined ? counted : narrowed(counted, { team: [team] }));
	if (filters === null) return null;
	const dates = day === undefined ? { from: periodKey, to: addDays(monthStart(periodKey, MONTHS[period]), -1) } : { from: day, to: day };
	// Dates are calendar days of the ledger, whatever its time zone.
	return chargesHref({
		...{ range: "month", dates, by: "team", bucket: null, filters, zone: "UTC" },
		...(job === undefined ? {} : { job }),
		...(own === null ? { budget: id } : {}),
		asOf,
	});
}

/**
 * The spend that a budget counts in its period, as the Spend screen filters it; null where filters cannot express its scope,
 * or the user does not see all of it.
 */
export function budgetSpendView({ scope, period, periodKey, seesAllTeams = true }: Counted, zone: string): SpendView | null {
	const own = seesAllTeams ? scopeFilters(scope) : null;
	const filters = own && narrowed(own, CHARGES_OF_BUDGETS);
	const dates = { from: periodKey, to: addDays(monthStart(periodKey, MONTHS[period]), -1) };
	return filters && { range: "month", dates, by: "team", bucket: null, filters, zone };
}
