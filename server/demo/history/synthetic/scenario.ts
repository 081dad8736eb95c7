import type { Offer, Pool } from "#server/domain/capacity.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { Policy } from "#server/domain/policy.ts";
import type { Provider } from "#server/domain/vocabulary.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import type { TimeSpread } from "#server/scheduling/types.ts";
import type { CloudDays, RegionOutage } from "./days.ts";
import type { Work } from "./records.ts";

/** One arrival: submission time, and what it really does. */
export interface Arrival {
	/** Sortable id; the world creates one if absent. */
	id?: string;
	submittedAtMs: number;
	spec: JobSpec;
	work: Work;
}

/** A pool with the core's inputs in addition to its hardware. */
export interface SimPool extends Pool {
	provider: Provider;
	multiNode: boolean;
	ownedSinceMs: number;
}

/** All inputs of a run: the same input gives the same run. */
export interface Scenario {
	seed: number;
	startMs: number;
	policy: Policy;
	policyVersion: number;
	pools: SimPool[];
	/** In their initial state. */
	offers: Offer[];
	arrivals: Arrival[];
	days: CloudDays;
	outage?: RegionOutage;
	/** Hourly price of an offer over time; absent: its initial price. */
	priceAt?: (offer: Offer, atMs: number) => bigint;
	timing: SimTiming;
	boardWatts: Readonly<Record<string, number>>;
}

/** Delays, ms: those of services/core/timing.ts, and those of the simulated environment. */
export interface SimTiming {
	stopGraceMs: number;
	readyTimeoutMs: number;
	callRetryMs: number;
	vanishMs: number;
	backoffBaseMs: number;
	backoffMaxMs: number;
	offerCooldownMs: number;
	priceMaxAgeMs: number;
	offersEveryMs: number;
	cloudStartMs: TimeSpread;
	/**
	 * How often the control plane reconsiders waiting jobs. The live loop does so every second; a longer step speeds up
	 * long replays.
	 */
	tickMs: number;
	syncMs: number;
	sweepMs: number;
	/** From a change to the cycle that processes it. */
	wakeMs: number;
	/** A provider's response time. */
	callMs: number;
	/** From the provider's launch to an enrolled agent, random between these. */
	bootMs: { min: number; max: number };
	/** From the order to end until the command has ended with its checkpoint saved. */
	stopMs: number;
	/** From an accepted termination to `terminated`. */
	terminateMs: { min: number; max: number };
	/** How long before reclaiming a machine its provider gives notice. AWS: two minutes. */
	spotNoticeMs: number;
	/** From placing to the command on the owned site. */
	homeStartMs: number;
}

/** Those of a live installation (services/core/timing.ts), with plausible values for the emulated environment. */
export const SIM_TIMING: SimTiming = {
	stopGraceMs: 90 * SECOND_MS,
	readyTimeoutMs: 15 * MINUTE_MS,
	callRetryMs: 10 * SECOND_MS,
	vanishMs: 5 * MINUTE_MS,
	backoffBaseMs: MINUTE_MS,
	backoffMaxMs: HOUR_MS,
	offerCooldownMs: 10 * MINUTE_MS,
	priceMaxAgeMs: 6 * HOUR_MS,
	offersEveryMs: HOUR_MS,
	cloudStartMs: { p50Ms: 4 * MINUTE_MS, p90Ms: 6 * MINUTE_MS },
	tickMs: 5 * MINUTE_MS,
	syncMs: 2 * SECOND_MS,
	sweepMs: MINUTE_MS,
	wakeMs: 50,
	callMs: 1_500,
	bootMs: { min: 2 * MINUTE_MS, max: 5 * MINUTE_MS },
	stopMs: 5 * SECOND_MS,
	terminateMs: { min: 5 * SECOND_MS, max: 40 * SECOND_MS },
	spotNoticeMs: 2 * MINUTE_MS,
	homeStartMs: 60,
};
