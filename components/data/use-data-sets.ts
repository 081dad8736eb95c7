import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import type { Lists } from "./lists.ts";

/** Submits the lists that a change was based on too, so that the server detects conflicts. */
export function useDataSets() {
	const trpc = useTRPC();
	const client = useQueryClient();
	const { data } = useSuspenseQuery(trpc.dataSet.list.queryOptions());
	const change = useMutation(
		trpc.dataSet.set.mutationOptions({ onSettled: () => void client.invalidateQueries({ queryKey: trpc.dataSet.pathKey() }) }),
	);
	const seen: Lists = { items: data.items, stores: data.stores };
	return {
		data,
		change,
		save: (next: (lists: Lists) => Lists, done: () => void) => change.mutate({ next: next(seen), seen }, { onSuccess: done }),
	};
}

export type DataSets = ReturnType<typeof useDataSets>;
