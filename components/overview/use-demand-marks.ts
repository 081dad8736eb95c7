"use client";
import type { ChartMark } from "#components/charts/marks.ts";
import { useMarks } from "#components/charts/use-marks.ts";
import type { Demand } from "./prepare-demand.ts";

/** The events of the chart's range. */
export function useDemandMarks({ fromMs, toMs }: Pick<Demand, "fromMs" | "toMs">): ChartMark[] {
	return useMarks({ fromMs, toMs }, (atMs) => (atMs - fromMs) / Math.max(1, toMs - fromMs));
}
