import type { Offer } from "#server/domain/capacity.ts";
import type { Policy } from "#server/domain/policy.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import type { SimDecision, SimNews } from "./context.ts";
import type { CloudDays, RegionOutage } from "./days.ts";
import type { AllocationRecord, AttemptRecord, HoldRecord, InstanceRecord, JobRecord } from "./records.ts";
import { type Arrival, SIM_TIMING, type SimPool } from "./scenario.ts";
import { generateWorkload } from "./workload.ts";
import type { Family } from "./workload-families.ts";
import { World } from "./world.ts";

/** A cloud's typical days. Assumptions: no public source has these shares for small accounts. */
const ORDINARY_DAYS: CloudDays = {
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
	/** The submissions; absent: the small demo's workload. */
	families?: readonly Family[];
	/** Additional submissions over parts of the time. */
	surges?: readonly { families: readonly Family[]; fromMs: number; toMs: number }[];
	/** A region without capacity for a while; machines there are lost. */
	outage?: RegionOutage;
	/** Absent: the prices of `offers` throughout. */
	priceAt?: (offer: Offer, atMs: number) => bigint;
}

/** A history in which everything has ended. */
export interface History {
	jobs: JobRecord[];
	attempts: AttemptRecord[];
	instances: InstanceRecord[];
	allocations: AllocationRecord[];
	holds: HoldRecord[];
	decisions: SimDecision[];
	news: SimNews[];
}

/**
 * Runs the synthetic workload from `fromMs` to `toMs` under the policy. Nothing is cut off: jobs of the last hours are
 * short enough to end, and the few delayed beyond `toMs` by queues or interruptions are left out as if never
 * submitted.
 */
export function simulateHistory(input: HistoryInput): History {
	const { fromMs, toMs, seed, families } = input;
	const surges = (input.surges ?? []).flatMap((surge) => generateWorkload({ ...surge, seed: seed + 1 }));
	const usual = generateWorkload({ fromMs, toMs, seed, ...(families ? { families } : {}) });
	const arrivals = [...usual, ...surges].sort((a, b) => a.submittedAtMs - b.submittedAtMs).flatMap((arrival) => endingBy(arrival, toMs));
	const { history, unfinished } = runOnce(input, arrivals);
	return without(history, unfinished);
}

/** The shortest run worth submitting. */
const SHORTEST_MS = 10 * MINUTE_MS;

/** A job that ends in time, shortened if necessary; none if no time is left. */
function endingBy(arrival: Arrival, toMs: number): Arrival[] {
	const mostMs = (toMs - arrival.submittedAtMs - 20 * MINUTE_MS) / 1.2;
	const { work } = arrival;
	if (work.totalMs < mostMs) return [arrival];
	if (mostMs < SHORTEST_MS) return [];
	const totalMs = Math.round(mostMs);
	const fails = work.fails && { ...work.fails, afterMs: Math.min(work.fails.afterMs, Math.round(totalMs / 2)) };
	return [{ ...arrival, work: { ...work, totalMs, fails } }];
}

function without(history: History, jobIds: ReadonlySet<string>): History {
	const isKept = (row: { jobId: string | null }) => row.jobId === null || !jobIds.has(row.jobId);
	const instances = history.instances.filter(isKept);
	const machines = new Set(instances.map(({ id }) => id));
	return {
		jobs: history.jobs.filter(({ id }) => !jobIds.has(id)),
		attempts: history.attempts.filter(isKept),
		instances,
		allocations: history.allocations.filter(isKept),
		holds: history.holds.filter(({ instanceId }) => machines.has(instanceId)),
		decisions: history.decisions.filter(isKept),
		news: history.news.filter(isKept),
	};
}

function runOnce(input: HistoryInput, arrivals: Arrival[]): { history: History; unfinished: Set<string> } {
	const { fromMs, toMs, families: _, surges: __, ...given } = input;
	const decisions: SimDecision[] = [];
	const news: SimNews[] = [];
	const scenario = {
		...given,
		startMs: fromMs,
		arrivals,
		days: ORDINARY_DAYS,
		// Prices change a few times a day at most, so frequent reads would find nothing new.
		timing: { ...SIM_TIMING, sweepMs: 10 * MINUTE_MS, offersEveryMs: 5 * HOUR_MS },
	};
	const world = new World(scenario, { news: (line) => news.push(line), decision: (d) => decisions.push(d) });
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
