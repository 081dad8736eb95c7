import { createLoader, createSerializer, parseAsStringLiteral } from "nuqs/server";
import { dayStartOf, rangeLabel as spendRangeLabel, rangeOf as spendRangeOf } from "#components/spend/range.ts";
import { DAY_MS } from "#server/kernel/units.ts";

export const CARBON_RANGES = ["7d", "month", "last_month", "12m"] as const;
export type CarbonRange = (typeof CARBON_RANGES)[number];

/** What the table can be grouped by, in the order of its tabs. */
export const CARBON_BY = ["team", "project", "class", "site", "provider", "region", "capacityType", "accelerator"] as const;
export type CarbonBy = (typeof CARBON_BY)[number];
export const BY_LABEL: Record<CarbonBy, string> = {
	team: "Team",
	project: "Project",
	class: "Class",
	site: "Site",
	provider: "Provider",
	region: "Region",
	capacityType: "Capacity",
	accelerator: "GPU model",
};

export type CarbonView = { range: CarbonRange; by: CarbonBy };

const params = {
	range: parseAsStringLiteral(CARBON_RANGES).withDefault("month"),
	by: parseAsStringLiteral(CARBON_BY).withDefault("team"),
};
export const loadCarbonParams = createLoader(params);
const serialize = createSerializer(params);
export const carbonHref = (view: CarbonView): string => serialize("/carbon", view);

/** Whole UTC days, with the end of today, so that the range is the same all day; twelve months begin with a month. */
export function rangeOf(range: CarbonRange, nowMs: number): { fromMs: number; toMs: number } {
	if (range !== "12m") return spendRangeOf(range, nowMs);
	const at = new Date(nowMs);
	return { fromMs: Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - 11, 1), toMs: dayStartOf(nowMs) + DAY_MS };
}

export function rangeLabel(range: CarbonRange, nowMs: number): string {
	return range === "12m" ? "12 months" : spendRangeLabel(range, nowMs);
}

/** One form of the query's input, so that what the server prefetches is what the browser asks for. */
export function carbonQuery({ range, by }: CarbonView, nowMs: number) {
	return { ...rangeOf(range, nowMs), groupBy: by };
}
