"use client";
import { type PerformanceView, performanceQuery } from "#components/performance/view.ts";
import { useHour } from "#components/spend/use-spend.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { useSuspenseQuery } from "#components/trpc/queries.ts";

export type PerformancePage = Outputs["performance"]["page"];
export type Sums = PerformancePage["groups"]["totals"];
export type Item = PerformancePage["groups"]["items"][number];

/** Shared so that all panels use one response. */
export function usePerformance(view: PerformanceView): PerformancePage {
	const trpc = useTRPC();
	return useSuspenseQuery(trpc.performance.page.queryOptions(performanceQuery(view, useHour()))).data;
}
