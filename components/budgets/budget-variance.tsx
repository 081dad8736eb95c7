"use client";
import { VariancePanel } from "#components/spend/variance-panel.tsx";
import { budgetSpendView } from "./drill.ts";
import { type ChosenBudget, useBudget } from "./use-budget.ts";

/** Explains the change against the period before. Renders nothing if filters cannot express the budget's scope. */
export function BudgetVariance({ chosen, zone }: { chosen: ChosenBudget; zone: string }) {
	const view = budgetSpendView(useBudget(chosen), zone);
	return view && <VariancePanel view={view} />;
}
