"use client";
import { VariancePanel } from "#components/spend/variance-panel.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";

/** Why the month so far cost more or less than the days before it. */
export function MonthVariance() {
	const { data } = useSuspenseQuery(useTRPC().spend.calendar.queryOptions());
	return <VariancePanel view={{ range: "month", dates: null, by: "team", bucket: null, filters: {}, zone: data.zone }} />;
}
