import { createLoader, createSerializer, parseAsArrayOf, parseAsIsoDateTime, parseAsStringLiteral } from "nuqs/server";
import { LIVE_JOB_STATES } from "#server/domain/states.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";

/** Chart time ranges. */
export const DEMAND_RANGES = ["6h", "24h", "7d"] as const;
export type DemandRange = (typeof DEMAND_RANGES)[number];

export const DEMAND_RANGE: Record<DemandRange, { label: string; lastMs: number; buckets: number }> = {
	"6h": { label: "6 h", lastMs: 6 * HOUR_MS, buckets: 180 },
	"24h": { label: "24 h", lastMs: DAY_MS, buckets: 288 },
	"7d": { label: "7 days", lastMs: 7 * DAY_MS, buckets: 336 },
};

/** The parts of the chart that can be hidden. */
export const DEMAND_HIDEABLE = ["events"] as const;
export type DemandView = { range: DemandRange; hide?: readonly (typeof DEMAND_HIDEABLE)[number][] | null };

/** Ends of the selected part of the range, read in the browser only. */
export const zoomParams = { from: parseAsIsoDateTime, to: parseAsIsoDateTime };
type Zoom = { from: Date | null; to: Date | null };

const params = {
	range: parseAsStringLiteral(DEMAND_RANGES).withDefault("24h"),
	hide: parseAsArrayOf(parseAsStringLiteral(DEMAND_HIDEABLE)),
};
export const loadOverviewParams = createLoader(params);
const serialize = createSerializer({ ...params, ...zoomParams });
export const overviewHref = ({ range, hide, ...zoom }: DemandView & Partial<Zoom>): string =>
	serialize("/", { range, hide: hide?.length ? [...hide] : null, ...zoom });

/** Shared by server and browser so that the prefetched query key matches. */
export function demandQuery(range: DemandRange): { lastMs: number; buckets: number } {
	const { lastMs, buckets } = DEMAND_RANGE[range];
	return { lastMs, buckets };
}

/** Reads more than is shown because lines are merged (feed.ts). */
export const FEED_QUERY = { limit: 80 };
/** Own jobs that are active or ended within a week before `todayMs` (00:00 UTC). */
export const myJobsQuery = (todayMs: number) => ({ mine: true, endedSinceMs: todayMs - 7 * DAY_MS, limit: 50 });
export const TEAM_JOBS_QUERY = { state: [...LIVE_JOB_STATES], limit: 50 };
export const CLOUD_NOW_QUERY = { live: true, limit: 50 };
