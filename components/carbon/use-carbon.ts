"use client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { type CarbonView, carbonQuery } from "#components/carbon/range.ts";
import { useHour } from "#components/spend/use-spend.ts";
import { useTRPC } from "#components/trpc/client.tsx";

/** All panels of the screen read one answer. */
export function useCarbon(view: CarbonView) {
	const trpc = useTRPC();
	const hour = useHour();
	const input = carbonQuery(view, hour);
	const { data } = useSuspenseQuery(trpc.carbon.page.queryOptions(input));
	return { page: data, input, hour };
}
