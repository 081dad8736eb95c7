import type { BudgetRow } from "#components/budgets/params.ts";
import { scopeFilters } from "#components/budgets/prepare-rows.ts";
import { narrowed } from "#components/spend/drill.ts";
import { chargesHref } from "#components/spend/view.ts";
import { addDays, monthStart } from "#components/spend/zone-days.ts";
import { CHARGES_OF_BUDGETS } from "#server/domain/budget-charges.ts";

const MONTHS = { month: 1, quarter: 3, year: 12 } as const;

/** What a budget counts: the period's key is its first day in the ledger's calendar. */
type Counted = Pick<BudgetRow, "id" | "scope" | "period" | "periodKey"> & { seesAllTeams?: boolean };

interface Within {
	/** One day of the period, `2026-11-30`. */
	day?: string;
	team?: string;
	job?: string;
	/** As parseLedgerCut() reads it. */
	asOf?: string | null;
}

/**
 * The page with the charges that a budget counts: by filters where its scope asks for team, project and class alone, else by the
 * budget itself. null where there can be none, and for sums over teams that the reader does not see.
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
	// Dates are days of the ledger's calendar, whatever its zone.
	return chargesHref({
		...{ range: "month", dates, by: "team", bucket: null, filters, zone: "UTC" },
		...(job === undefined ? {} : { job }),
		...(own === null ? { budget: id } : {}),
		asOf,
	});
}
