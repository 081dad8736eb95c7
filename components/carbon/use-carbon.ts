"use client";
import { type CarbonView, carbonQuery } from "#components/carbon/range.ts";
import { useHour } from "#components/spend/use-spend.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";

/** Shared so that all panels use one response. */
export function useCarbon(view: CarbonView) {
	const trpc = useTRPC();
	const hour = useHour();
	const input = carbonQuery(view, hour);
	const { data } = useSuspenseQuery(trpc.carbon.page.queryOptions(input));
	return { page: data, input, hour };
}
