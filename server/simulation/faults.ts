import type { Random } from "#server/kernel/random.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";

/** How often what goes wrong. Shares are of calls or moments (0..1), hazards are per machine-hour. */
export interface FaultRates {
	/** Launch calls refused for capacity on spot, and on on-demand. */
	noSpotCapacity: number;
	noOnDemandCapacity: number;
	quota: number;
	/** Calls of any kind that the provider refuses for their number. */
	throttled: number;
	/** Launches with a lost answer although the machine exists. */
	timeoutButExists: number;
	/** Launches with a lost answer where the machine shows in listings only this much later, at most. */
	createDelayed: number;
	createDelayMsMax: number;
	/** A new machine is missing from listings for up to this long. */
	listLagMsMax: number;
	/** Machines that cease to exist and leave every listing. */
	vanishPerHour: number;
	/** The agent dies silently; the machine stays. */
	agentSilentPerHour: number;
	spotNoticePerHour: number;
	spotNoNoticePerHour: number;
	slowTerminate: number;
	slowTerminateMsMax: number;
	/** Cycles with a plan that is applied again, later: a second scheduler that saw the same. */
	stalePlan: number;
	/** Steps of the control plane after which its process dies. */
	crash: number;
	crashMsMax: number;
	/** Price readings that bring no price, a zero, or another price. */
	missingPrice: number;
	priceChange: number;
	/** The host sleeps: the control plane's clock jumps forward by up to so much, this often an hour. */
	clockJumpPerHour: number;
	clockJumpMsMax: number;
}

/** A cloud region that loses its machines and takes no new ones, from one time to another. */
export interface RegionOutage {
	siteId: string;
	region: string;
	fromMs: number;
	toMs: number;
}

export const NO_FAULTS: FaultRates = {
	noSpotCapacity: 0,
	noOnDemandCapacity: 0,
	quota: 0,
	throttled: 0,
	timeoutButExists: 0,
	createDelayed: 0,
	createDelayMsMax: 0,
	listLagMsMax: 0,
	vanishPerHour: 0,
	agentSilentPerHour: 0,
	spotNoticePerHour: 0,
	spotNoNoticePerHour: 0,
	slowTerminate: 0,
	slowTerminateMsMax: 0,
	stalePlan: 0,
	crash: 0,
	crashMsMax: 0,
	missingPrice: 0,
	priceChange: 0,
	clockJumpPerHour: 0,
	clockJumpMsMax: 0,
};

/** The worst that a run may draw of each rate. */
const WORST: FaultRates = {
	noSpotCapacity: 0.5,
	noOnDemandCapacity: 0.3,
	quota: 0.2,
	throttled: 0.3,
	timeoutButExists: 0.3,
	createDelayed: 0.2,
	// The loop believes a silence of listings after vanishMs and launchForgetMs, 5 minutes each: a longer lag is outside its promise.
	createDelayMsMax: 3 * MINUTE_MS,
	listLagMsMax: MINUTE_MS,
	vanishPerHour: 0.5,
	agentSilentPerHour: 0.3,
	spotNoticePerHour: 1,
	spotNoNoticePerHour: 0.5,
	slowTerminate: 0.5,
	slowTerminateMsMax: 20 * MINUTE_MS,
	stalePlan: 0.4,
	crash: 0.05,
	crashMsMax: 30 * MINUTE_MS,
	missingPrice: 0.3,
	priceChange: 0.5,
	clockJumpPerHour: 0.3,
	clockJumpMsMax: 2 * HOUR_MS,
};

/** Swarm: which faults there are, and how often, is itself drawn, so that one run's rare fault is another's rule. */
export function drawFaults(random: Random): FaultRates {
	const faults = { ...NO_FAULTS };
	for (const name of Object.keys(WORST) as (keyof FaultRates)[]) {
		const on = random.next() < 0.6;
		const amount = WORST[name] * random.next();
		// A duration is a bound for a fault with a share drawn elsewhere: always present.
		if (name.endsWith("MsMax")) faults[name] = Math.round(Math.max(SECOND_MS, amount));
		else if (on) faults[name] = amount;
	}
	return faults;
}

/** Time to the next event of a Poisson process with this hazard, ms; infinite for 0. */
export function drawTimeTo(random: Random, perHour: number): number {
	return perHour <= 0 ? Number.POSITIVE_INFINITY : Math.ceil((-Math.log(1 - random.next()) / perHour) * HOUR_MS) + 1;
}
