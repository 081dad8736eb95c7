import type { Site } from "./lead.ts";

export interface RegionHealth {
	region: string;
	/** null: the newest sweep did not look there, so nothing is known. */
	answers: boolean | null;
	/** Why it does not. */
	why: string | null;
}

/** The regions of a cloud account as its newest sweep found them: those that are in use, and at the end those that it was kept out of. */
export function regionsOf({ regions, lastSweep }: Pick<Site, "regions" | "lastSweep">): RegionHealth[] {
	const failed = new Map(lastSweep?.failedRegions.map((f) => [f.region, f.message]));
	const read = new Set(lastSweep?.regions);
	const rest = regions.filter((region) => !failed.has(region));
	return [
		...rest.map((region) => ({ region, answers: read.has(region) ? true : null, why: null })),
		...[...failed].map(([region, why]) => ({ region, answers: false, why })),
	];
}
