import type { Offer } from "#server/domain/capacity.ts";
import type { Policy } from "#server/domain/policy.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import type { SimDecision, SimNews } from "./context.ts";
import { type FaultRates, NO_FAULTS, type RegionOutage } from "./faults.ts";
import type { AllocationRecord, AttemptRecord, HoldRecord, InstanceRecord, JobRecord } from "./records.ts";
import { type Arrival, SIM_TIMING, type SimPool, scenarioOf } from "./scenario.ts";
import { makeWorkload } from "./workload.ts";
import type { Family } from "./workload-families.ts";
import { World } from "./world.ts";

/** What a cloud's ordinary days are like. Assumptions: no public source gives these shares for small accounts. */
export const ORDINARY_DAYS: FaultRates = {
	...NO_FAULTS,
	noSpotCapacity: 0.12,
	noOnDemandCapacity: 0.02,
	spotNoticePerHour: 0.04,
	spotNoNoticePerHour: 0.004,
	vanishPerHour: 0.001,
};

export interface HistoryInput {
	fromMs: number;
	toMs: number;
	seed: number;
	policy: Policy;
	policyVersion: number;
	pools: SimPool[];
	offers: Offer[];
	boardWatts: Readonly<Record<string, number>>;
	/** What is submitted; absent: the small demo's workload. */
	families?: readonly Family[];
	/** Submitted besides, over part of the time. */
	surge?: { families: readonly Family[]; fromMs: number; toMs: number };
	/** A region without capacity for a while; what ran there is lost. */
	outage?: RegionOutage;
	/** Absent: the prices of `offers` throughout. */
	priceAt?: (offer: Offer, atMs: number) => bigint;
}

/** A past in which everything has ended. */
export interface History {
	jobs: JobRecord[];
	attempts: AttemptRecord[];
	instances: InstanceRecord[];
	allocations: AllocationRecord[];
	holds: HoldRecord[];
	decisions: SimDecision[];
	news: SimNews[];
}

/** Jobs that would not end in time are not submitted; a few tries find those that queues or interruptions delay. */
const TRIES = 12;

/**
 * Runs the synthetic workload from `fromMs` to `toMs` under the policy. Nothing is cut off: what would not have ended by
 * `toMs` was never submitted.
 */
export function simulateHistory(input: HistoryInput): History {
	const { fromMs, toMs, seed, families } = input;
	const surge = input.surge ? makeWorkload({ ...input.surge, seed: seed + 1 }) : [];
	const usual = makeWorkload({ fromMs, toMs, seed, ...(families ? { families } : {}) });
	let arrivals = [...usual, ...surge]
		.sort((a, b) => a.submittedAtMs - b.submittedAtMs)
		.filter(({ submittedAtMs, work }) => submittedAtMs + work.totalMs * 1.2 + 20 * MINUTE_MS < toMs);
	for (let n = 0; ; n++) {
		const { history, unfinished } = runOnce(input, arrivals);
		if (unfinished.size === 0) return history;
		// One that still cannot end takes the last hours' submissions with it, so that this ends too.
		const quietFromMs = n < TRIES ? toMs : toMs - (n - TRIES + 1) * HOUR_MS;
		arrivals = arrivals.filter((a) => !unfinished.has(a.id ?? "") && a.submittedAtMs < quietFromMs);
	}
}

function runOnce(input: HistoryInput, arrivals: Arrival[]): { history: History; unfinished: Set<string> } {
	const { fromMs, toMs, families: _, surge: __, ...given } = input;
	const decisions: SimDecision[] = [];
	const news: SimNews[] = [];
	const scenario = scenarioOf({
		...given,
		startMs: fromMs,
		arrivals,
		faults: ORDINARY_DAYS,
		healAtMs: toMs,
		// Prices change a few times a day at most, so that reading them often would find nothing new.
		timing: { ...SIM_TIMING, sweepMs: 10 * MINUTE_MS, offersEveryMs: 5 * HOUR_MS },
	});
	const world = new World(scenario, { news: (line) => news.push(line), decision: (d) => decisions.push(d), charges: () => {} });
	while (!world.isQuiet() && world.nextAtMs() < toMs) world.step();
	const { book } = world;
	const live = [...book.jobs.values()].filter((row) => row.finishedAtMs === null);
	const unfinished = new Set([...live.map((row) => row.id), ...[...book.liveInstances].map((row) => row.jobId)]);
	const history: History = {
		jobs: [...book.jobs.values()],
		attempts: [...book.attempts.values()],
		instances: [...book.instances.values()],
		allocations: book.allocations,
		holds: [...book.holds.values()],
		decisions,
		news,
	};
	return { history, unfinished };
}
