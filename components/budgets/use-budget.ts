"use client";
import { budgetQuery } from "#components/budgets/params.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";

export interface ChosenBudget {
	id: string;
	period: string | null;
}

/** Shared so that all budget panels use one response. */
export function useBudget({ id, period }: ChosenBudget) {
	const trpc = useTRPC();
	return useSuspenseQuery(trpc.budget.get.queryOptions(budgetQuery(id, period))).data;
}

/** Invalidates every query that shows budgets or channels. */
export function useReadAgain() {
	const trpc = useTRPC();
	return [trpc.budget.pathKey(), trpc.alert.pathKey(), trpc.channel.pathKey(), trpc.policy.pathKey(), trpc.overview.summary.pathKey()];
}
