import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { evaluateExpression } from "#server/policy/expression.ts";
import { JobFacts } from "#server/policy/job-facts.ts";
import { recordsOfLaunches } from "#server/scheduling/records-of-launches.ts";
import type { SpillwayOptions } from "../replay/strategies/spillway.ts";
import type { ReplayScenario, TraceJob } from "../replay/types.ts";
import { shortagesOf, spotRecord } from "./capacity.ts";
import type { HistoryJob, RecordedHistory } from "./history.ts";
import { priceSteps } from "./price-steps.ts";

/** Time from a refused launch to its answer where none is on record: an assumption, as in replay/default-scenario.ts. */
const REFUSAL_MS = 30 * SECOND_MS;
/** Time to restore a checkpoint when a replay moves or interrupts a job: an assumption, as in replay/default-scenario.ts. */
const RESTORE_MS = 3 * MINUTE_MS;
/** Run time of a job that never ran, gives no estimate, and has no recorded runs in its team: an assumption. */
const UNKNOWN_WORK_MS = HOUR_MS;

/** How often one replay relearns run times: each pass costs some tens of milliseconds. */
const RUN_READINGS_MAX = 90;

/** External conditions of a recorded period, the same for every policy replayed over it. */
export function scenarioOf(history: RecordedHistory): ReplayScenario {
	const { fromMs, toMs, offers, launches, timing } = history;
	const { prices } = priceSteps(history);
	const spotIds = offers.filter((offer) => offer.capacityType === "spot").map(({ id }) => id);
	return {
		name: "backtest",
		seed: history.seed,
		startMs: fromMs,
		pools: history.pools,
		// What is learned about an offer by today is not known at the start of the period.
		offers: offers.map((offer) => ({ ...offer, backoffUntilMs: null, backoffReason: null })),
		availability: new Map(),
		prices,
		bootMs: timing.bootMs ?? timing.cloudStartMs.p50Ms,
		refusalMs: timing.refusalMs ?? REFUSAL_MS,
		checkpointEveryMs: Number.POSITIVE_INFINITY,
		restoreMs: RESTORE_MS,
		grid: new Map(),
		...(history.grid ? { gridOnRecord: history.grid } : {}),
		...(history.mounts ? { mounts: history.mounts } : {}),
		boardWatts: history.boardWatts,
		onDemandRefusalShare: 0,
		dataOutGiB: 0,
		refusedDuring: shortagesOf(launches),
		interruptionsPerHour: spotRecord(launches, spotIds, toMs).perHour,
		cloudStartMs: timing.cloudStartMs,
	};
}

/** What is known at the start of the period. */
export function priorKnowledge(history: RecordedHistory): SpillwayOptions {
	return {
		priorRuns: history.priorRuns,
		priorOffers: recordsOfLaunches(
			history.launches.map(({ spot, ...launch }) => ({ ...launch, isSpot: spot })),
			history.fromMs,
		),
		cooldownMs: history.timing.cooldownMs,
		readRunsEveryMs: Math.max(4 * HOUR_MS, Math.ceil((history.toMs - history.fromMs) / RUN_READINGS_MAX)),
		spentBefore: ({ scope }) => {
			const inScope = history.spentBefore.filter(({ spec }) => evaluateExpression(scope, { job: new JobFacts(spec) }).holds !== false);
			return inScope.map(({ month, microUsd }) => [month, microUsd] as const);
		},
	};
}

/** The recorded jobs as a replay needs them. Jobs from before the period arrive at its start with their remaining work. */
export function traceOf(history: RecordedHistory): TraceJob[] {
	const typical = typicalWork(history.jobs);
	return history.jobs.map((job) => {
		const { spec } = job;
		return {
			id: job.id,
			submitMs: Math.max(0, job.submittedAtMs - history.fromMs),
			durationMs: workMsOf(job, typical),
			gpus: spec.nodes * spec.resources.gpus,
			team: spec.team,
			user: null,
			accelerators: spec.resources.accelerators,
			deadlineMs: null,
			deadlineKind: spec.deadlineMs === null ? null : "strict",
			status: null,
			limitMs: null,
			recorded: {
				spec,
				approvedMicroUsd: job.approvedMicroUsd,
				dataOutGiB: job.dataOutGiB,
				withdrawnMs: job.withdrawnAtMs === null ? null : Math.max(0, job.withdrawnAtMs - history.fromMs),
			},
		};
	});
}

/** Capped at its own limit: anything beyond it was the grace period for stopping. */
function workMsOf(job: HistoryJob, typical: (team: string) => number): number {
	return Math.min(recordedMsOf(job, typical), job.spec.duration.maxMs ?? Number.POSITIVE_INFINITY);
}

function recordedMsOf({ work, spec }: HistoryJob, typical: (team: string) => number): number {
	const said = spec.duration.estimateMs ?? spec.duration.maxMs;
	switch (work.kind) {
		case "recorded":
			return Math.max(1, work.ms - work.beforeMs);
		case "so_far":
			return Math.max(1, Math.max(work.ms, spec.duration.estimateMs ?? 0) - work.beforeMs);
		case "unknown":
			return Math.max(1, said ?? typical(spec.team));
	}
}

/** Returns the median run time of a team's recorded jobs. */
function typicalWork(jobs: readonly HistoryJob[]): (team: string) => number {
	const byTeam = Map.groupBy(jobs, ({ spec }) => spec.team);
	const known = new Map<string, number>();
	return (team) => {
		const cached = known.get(team);
		if (cached !== undefined) return cached;
		const lengths = (byTeam.get(team) ?? []).flatMap(({ work }) => (work.kind === "recorded" ? [work.ms] : [])).sort((a, b) => a - b);
		const median = lengths[Math.floor(lengths.length / 2)] ?? UNKNOWN_WORK_MS;
		known.set(team, median);
		return median;
	};
}
