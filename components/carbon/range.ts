import { createLoader, createSerializer, parseAsStringLiteral } from "nuqs/server";
import { type Drill, drillHref } from "#components/spend/drill.ts";
import { rangeOf } from "#components/spend/range.ts";

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

/** `zone`: the ledger's, whose days and months Spend and the statements have too. */
export type CarbonView = { range: CarbonRange; by: CarbonBy; zone: string };

const params = {
	range: parseAsStringLiteral(CARBON_RANGES).withDefault("month"),
	by: parseAsStringLiteral(CARBON_BY).withDefault("team"),
};
export const loadCarbonParams = createLoader(params);
const serialize = createSerializer(params);
export const carbonHref = ({ range, by }: Pick<CarbonView, "range" | "by">): string => serialize("/carbon", { range, by });

/** One form of the query's input, so that what the server prefetches is what the browser asks for. */
export function carbonQuery({ range, by, zone }: CarbonView, nowMs: number) {
	return { ...rangeOf(range, nowMs, zone), groupBy: by };
}

/** The page with the charges behind a figure, by what they emitted; null when there can be none. */
export function chargesOf({ range, zone }: CarbonView, drill: Drill = {}): string | null {
	return drillHref({ range, dates: null, by: "team", bucket: null, filters: {}, zone }, { ...drill, of: "carbon" });
}
