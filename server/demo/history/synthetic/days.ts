import type { Random } from "#server/kernel/random.ts";
import { HOUR_MS } from "#server/kernel/units.ts";

/** What a cloud's days are like. Shares are of launches (0..1), hazards are per machine-hour. */
export interface CloudDays {
	/** Launches refused for capacity on spot, and on on-demand. */
	noSpotCapacity: number;
	noOnDemandCapacity: number;
	/** Machines that cease to exist and leave every listing. */
	vanishPerHour: number;
	spotNoticePerHour: number;
	spotNoNoticePerHour: number;
}

/** A cloud region that loses its machines and takes no new ones, from one time to another. */
export interface RegionOutage {
	siteId: string;
	region: string;
	fromMs: number;
	toMs: number;
}

/** Time to the next event of a Poisson process with this hazard, ms; infinite for 0. */
export function drawTimeTo(random: Random, perHour: number): number {
	return perHour <= 0 ? Number.POSITIVE_INFINITY : Math.ceil((-Math.log(1 - random.next()) / perHour) * HOUR_MS) + 1;
}
