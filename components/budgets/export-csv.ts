import type { PreparedRow } from "#components/budgets/prepare-rows.ts";
import { exactDollars } from "#components/csv/csv.ts";
import { csvText } from "#server/kernel/csv.ts";

/** Budgets as CSV with the full forecast range; a missing forecast is empty. */
export function budgetsCsv(rows: readonly PreparedRow[]): string {
	const money = ["Posted USD", "Held USD", "Free USD", "Cap USD", "Forecast USD", "Forecast low USD", "Forecast high USD"];
	const lines = rows.map(({ budget: b, name }) => [
		...[b.id, name, b.period],
		...[b.periodStartMs, b.periodEndMs].map((ms) => new Date(ms).toISOString()),
		...[b.postedMicroUsd, b.heldMicroUsd, b.freeMicroUsd, b.capMicroUsd].map(exactDollars),
		...(b.forecast ? [b.forecast.expectedMicroUsd, b.forecast.lowMicroUsd, b.forecast.highMicroUsd].map(exactDollars) : ["", "", ""]),
	]);
	return csvText([["Budget", "Scope", "Period", "From (UTC)", "To (UTC)", ...money], ...lines]);
}
