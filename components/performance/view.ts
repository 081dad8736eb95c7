import { createLoader, createSerializer, parseAsStringLiteral } from "nuqs/server";
import { rangeOf } from "#components/spend/range.ts";

export const PERFORMANCE_RANGES = ["7d", "month", "last_month", "90d"] as const;
export type PerformanceRange = (typeof PERFORMANCE_RANGES)[number];

/** Dimensions of the table, in tab order. */
export const PERFORMANCE_BY = ["team", "accelerator", "class", "project", "capacityType", "day"] as const;
export type PerformanceBy = (typeof PERFORMANCE_BY)[number];
export const BY_LABEL: Record<PerformanceBy, string> = {
	team: "Team",
	accelerator: "GPU model",
	class: "Class",
	project: "Project",
	capacityType: "Capacity",
	day: "Day",
};

/** `zone`: the ledger's time zone. */
export type PerformanceView = { range: PerformanceRange; by: PerformanceBy; zone: string };

const params = {
	range: parseAsStringLiteral(PERFORMANCE_RANGES).withDefault("month"),
	by: parseAsStringLiteral(PERFORMANCE_BY).withDefault("team"),
};
export const loadPerformanceParams = createLoader(params);
const serialize = createSerializer(params);
export const performanceHref = ({ range, by }: Pick<PerformanceView, "range" | "by">): string => serialize("/performance", { range, by });

/** Shared by server and browser so that the prefetched query key matches. */
export function performanceQuery({ range, by, zone }: PerformanceView, nowMs: number) {
	return { ...rangeOf(range, nowMs, zone), groupBy: by };
}
