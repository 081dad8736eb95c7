"use client";
import { budgetQuery } from "#components/budgets/params.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";

export interface ChosenBudget {
	id: string;
	period: string | null;
}

/** All panels about one budget read one answer. */
export function useBudget({ id, period }: ChosenBudget) {
	const trpc = useTRPC();
	return useSuspenseQuery(trpc.budget.get.queryOptions(budgetQuery(id, period))).data;
}

/** Everything that a change of budgets or channels may show elsewhere is read again. */
export function useReadAgain() {
	const trpc = useTRPC();
	return [trpc.budget.pathKey(), trpc.alert.pathKey(), trpc.channel.pathKey(), trpc.policy.pathKey(), trpc.overview.summary.pathKey()];
}
