import { createLoader, createSerializer, parseAsStringLiteral } from "nuqs/server";
import { type Drill, drillHref } from "#components/spend/drill.ts";
import { rangeOf } from "#components/spend/range.ts";
import type { SpendFilters } from "#components/spend/view.ts";

export const CARBON_RANGES = ["7d", "month", "last_month", "12m"] as const;
export type CarbonRange = (typeof CARBON_RANGES)[number];

/** Dimensions of the table, in tab order. */
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

/** `zone`: the ledger's time zone, shared with Spend and statements. */
export type CarbonView = { range: CarbonRange; by: CarbonBy; zone: string };

const params = {
	range: parseAsStringLiteral(CARBON_RANGES).withDefault("month"),
	by: parseAsStringLiteral(CARBON_BY).withDefault("team"),
};
export const loadCarbonParams = createLoader(params);
const serialize = createSerializer(params);
export const carbonHref = ({ range, by }: Pick<CarbonView, "range" | "by">): string => serialize("/carbon", { range, by });

/** Shared by server and browser so that the prefetched query key matches. */
export function carbonQuery({ range, by, zone }: CarbonView, nowMs: number) {
	return { ...rangeOf(range, nowMs, zone), groupBy: by };
}

/** Link to the charges behind a figure, sorted by emissions; null if there can be none. */
export function chargesOf({ range, zone }: CarbonView, drill: Drill = {}, filters: SpendFilters = {}): string | null {
	return drillHref({ range, dates: null, by: "team", bucket: null, filters, zone }, { ...drill, of: "carbon" });
}
