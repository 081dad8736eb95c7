"use client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { dayStartOf, type SpendBy, type SpendRange, spendQuery } from "#components/spend/range.ts";
import { useTime } from "#components/time/clock.tsx";
import { useTRPC } from "#components/trpc/client.tsx";

export type SpendView = { range: SpendRange; by: SpendBy };

/** The day that it is: ranges end with it. */
export function useToday(): number {
	return useTime(useCallback((now: number) => dayStartOf(now), []));
}

/** All panels of the screen read one answer. */
export function useSpend({ range, by }: SpendView) {
	const trpc = useTRPC();
	const today = useToday();
	const input = spendQuery(range, by, today);
	const { data } = useSuspenseQuery(trpc.spend.page.queryOptions(input));
	return { page: data, input, today };
}
