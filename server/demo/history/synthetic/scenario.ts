import type { Offer, Pool } from "#server/domain/capacity.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { Policy } from "#server/domain/policy.ts";
import type { Provider } from "#server/domain/vocabulary.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import type { TimeSpread } from "#server/scheduling/types.ts";
import type { CloudDays, RegionOutage } from "./days.ts";
import type { Work } from "./records.ts";

/** One arrival: what is submitted when, and what it truly does. */
export interface Arrival {
	/** Sortable id; the world makes one when it is absent. */
	id?: string;
	submittedAtMs: number;
	spec: JobSpec;
	work: Work;
}

/** A pool with the core's inputs besides its hardware. */
export interface SimPool extends Pool {
	provider: Provider;
	multiNode: boolean;
	ownedSinceMs: number;
}

/** Everything that a run depends on: the same input gives the same run. */
export interface Scenario {
	seed: number;
	startMs: number;
	policy: Policy;
	policyVersion: number;
	pools: SimPool[];
	/** As they are at the start. */
	offers: Offer[];
	arrivals: Arrival[];
	days: CloudDays;
	outage?: RegionOutage;
	/** What an offer costs an hour at a time; absent: what it cost at the start. */
	priceAt?: (offer: Offer, atMs: number) => bigint;
	timing: SimTiming;
	boardWatts: Readonly<Record<string, number>>;
}

/** Waiting times, ms: those of services/core/timing.ts, and what the simulated outside takes. */
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
	/** The control plane looks again at what waits. The live loop does so every second; a longer step makes long replays fast. */
	tickMs: number;
	syncMs: number;
	sweepMs: number;
	/** From a change to the cycle that sees it. */
	wakeMs: number;
	/** A provider's answer to a call. */
	callMs: number;
	/** From the provider's launch to an enrolled agent, drawn between these. */
	bootMs: { min: number; max: number };
	/** From the order to end until the command no longer exists, its checkpoint saved. */
	stopMs: number;
	/** From an accepted termination to `terminated`. */
	terminateMs: { min: number; max: number };
	/** Before a machine is taken, when its provider gives notice. AWS: two minutes. */
	spotNoticeMs: number;
	/** From placing to the command on the owned site. */
	homeStartMs: number;
}

/** Those of a live installation (services/core/timing.ts), with the emulated outside in plausible places. */
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
