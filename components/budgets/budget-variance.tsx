"use client";
import { VariancePanel } from "#components/spend/variance-panel.tsx";
import { budgetSpendView } from "./drill.ts";
import { type ChosenBudget, useBudget } from "./use-budget.ts";

/** Why the budget's period cost more or less than the one before. Nothing for a scope that filters cannot express. */
export function BudgetVariance({ chosen, zone }: { chosen: ChosenBudget; zone: string }) {
	const view = budgetSpendView(useBudget(chosen), zone);
	return view && <VariancePanel view={view} />;
}
