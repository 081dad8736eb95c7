import type { Site } from "./lead.ts";

export interface RegionHealth {
	region: string;
	/** null: not covered by the last sweep, so unknown. */
	answers: boolean | null;
	/** Reason it is unreachable. */
	why: string | null;
}

/** Regions of a cloud account from its last sweep: those in use, then those denied. */
export function regionsOf({ regions, lastSweep }: Pick<Site, "regions" | "lastSweep">): RegionHealth[] {
	const failed = new Map(lastSweep?.failedRegions.map((f) => [f.region, f.message]));
	const read = new Set(lastSweep?.regions);
	const rest = regions.filter((region) => !failed.has(region));
	return [
		...rest.map((region) => ({ region, answers: read.has(region) ? true : null, why: null })),
		...[...failed].map(([region, why]) => ({ region, answers: false, why })),
	];
}
