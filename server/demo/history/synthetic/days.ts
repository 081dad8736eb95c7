import type { Random } from "#server/kernel/random.ts";
import { HOUR_MS } from "#server/kernel/units.ts";

/** A cloud's typical days. Shares are of launches (0..1), hazards are per machine-hour. */
export interface CloudDays {
	/** Launches rejected for lack of capacity, for spot and on-demand. */
	noSpotCapacity: number;
	noOnDemandCapacity: number;
	/** Machines that disappear from every listing. */
	vanishPerHour: number;
	spotNoticePerHour: number;
	spotNoNoticePerHour: number;
}

/** The cloud region with the most machines loses them and accepts no new ones for a period. */
export interface RegionOutage {
	fromMs: number;
	toMs: number;
}

/** Time to the next event of a Poisson process with this hazard, ms; infinite for 0. */
export function drawTimeTo(random: Random, perHour: number): number {
	return perHour <= 0 ? Number.POSITIVE_INFINITY : Math.ceil((-Math.log(1 - random.next()) / perHour) * HOUR_MS) + 1;
}
