"use client";
import { useCallback } from "react";
import { bucketOfView, datesOfView, type SpendView, spendQuery } from "#components/spend/view.ts";
import { useTime } from "#components/time/clock.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { HOUR_MS } from "#server/kernel/units.ts";

/** The hour that it is: a day of the ledger's calendar begins with one. */
export function useHour(): number {
	return useTime(useCallback((now: number) => Math.floor(now / HOUR_MS) * HOUR_MS, []));
}

/** All panels of the screen read one answer. */
export function useSpend(view: SpendView) {
	const trpc = useTRPC();
	const hour = useHour();
	const input = spendQuery(view, hour);
	const { data } = useSuspenseQuery(trpc.spend.page.queryOptions(input));
	return { page: data, input, hour, dates: datesOfView(view, hour), bucket: bucketOfView(view, hour) };
}
