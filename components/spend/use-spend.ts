"use client";
import { useCallback } from "react";
import { bucketOfView, datesOfView, type SpendView, spendQuery } from "#components/spend/view.ts";
import { useTime } from "#components/time/clock.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { HOUR_MS } from "#server/kernel/units.ts";

/** The current hour; ledger days start on the hour. */
export function useHour(): number {
	return useTime(useCallback((now: number) => Math.floor(now / HOUR_MS) * HOUR_MS, []));
}

/** Shared so that all panels use one response. */
export function useSpend(view: SpendView) {
	const trpc = useTRPC();
	const hour = useHour();
	const input = spendQuery(view, hour);
	const { data } = useSuspenseQuery(trpc.spend.page.queryOptions(input));
	return { page: data, input, hour, dates: datesOfView(view, hour), bucket: bucketOfView(view, hour) };
}
