"use client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { type CarbonView, carbonQuery } from "#components/carbon/range.ts";
import { useToday } from "#components/spend/use-spend.ts";
import { useTRPC } from "#components/trpc/client.tsx";

/** All panels of the screen read one answer. */
export function useCarbon(view: CarbonView) {
	const trpc = useTRPC();
	const today = useToday();
	const { data } = useSuspenseQuery(trpc.carbon.page.queryOptions(carbonQuery(view, today)));
	return { page: data, today };
}
