import type { Placement } from "#server/domain/capacity.ts";
import type { Candidate, Explanation, Outcome, RemovalCode, TimeRange } from "#server/domain/decision.ts";
import type { PipelineSpec } from "#server/domain/pipeline/pipeline.ts";
import type { InParts } from "#server/kernel/in-parts.ts";
import { expectedOf, soonestAtHome } from "../quote/suggest.ts";
import type { TimeSpread } from "../types.ts";
import { findCriticalPath, type StepPath } from "./critical-path.ts";
import { type BoundedSpread, sampleFinish } from "./sample-finish.ts";

/** The outcome of one run of a step if submitted now. Money in micro-dollars. */
export interface RunQuote {
	outcome: Outcome;
	placement: Placement | null;
	/** Until it starts, ms. */
	wait: TimeSpread;
	run: BoundedSpread;
	/** Expected and maximum new spending. 0 on owned capacity. */
	cashMicroUsd: bigint;
	worstMicroUsd: bigint;
	emissionsGrams: number | null;
}

export interface QuotedStep extends StepPath {
	name: string;
	needs: string[];
	runs: number;
	placement: Placement | null;
	/** Placement of its first run, if the runs have different outcomes. */
	outcome: Outcome;
	runMs: number;
	start: TimeRange;
	finish: TimeRange;
	expectedMicroUsd: bigint;
	maximumMicroUsd: bigint;
	emissionsGrams: number | null;
}

export interface GraphQuote {
	start: TimeRange;
	finish: TimeRange;
	expectedMicroUsd: bigint;
	maximumMicroUsd: bigint;
	/** Null when no step has an estimate. */
	emissionsGrams: number | null;
	/** Chance of missing the deadline, 0 to 1; null without one. */
	deadlineRisk: number | null;
	steps: QuotedStep[];
}

interface QuotedJob {
	runTime: TimeSpread;
	/** Longest run time, ms; null: no limit. */
	runMaxMs: number | null;
	nowMs: number;
	mayLeave: boolean;
}

/** From the decision for one job: where it would run, for how long and for how much. `mayLeave`: whether a rule can ever let it leave home. */
export function quoteRun(explanation: Explanation, { runTime, runMaxMs, nowMs, mayLeave }: QuotedJob): RunQuote {
	const expected = expectedOf(explanation) ?? awaitedOf(explanation, mayLeave);
	const { outcome } = explanation;
	const most = runMaxMs ?? Number.POSITIVE_INFINITY;
	if (!expected) {
		const nothing = { wait: { p50Ms: 0, p90Ms: 0 }, cashMicroUsd: 0n, worstMicroUsd: 0n, emissionsGrams: null };
		return { outcome, placement: null, run: { ...runTime, mostMs: most }, ...nothing };
	}
	const { placement, start, finish } = expected;
	const p50Ms = Math.max(0, finish.p50Ms - start.p50Ms);
	const spread = runTime.p50Ms > 0 ? Math.max(1, runTime.p90Ms / runTime.p50Ms) : 1;
	// Staging and the start of a machine are not limited.
	const mostMs = Math.max(p50Ms, most + Math.max(0, p50Ms - runTime.p50Ms));
	const isOwned = placement.capacityType === "owned";
	return {
		...{ outcome, placement },
		wait: { p50Ms: Math.max(0, start.p50Ms - nowMs), p90Ms: Math.max(0, start.p90Ms - nowMs) },
		run: { p50Ms, p90Ms: Math.min(mostMs, p50Ms * spread), mostMs },
		...{ cashMicroUsd: BigInt(expected.cashMicroUsd), worstMicroUsd: isOwned ? 0n : BigInt(expected.worstCaseMicroUsd) },
		emissionsGrams: expected.emissionsGrams,
	};
}

/** Removals that end by themselves or by a person's decision, while the job waits. */
const PASSING: ReadonlySet<RemovalCode> = new Set([
	"budget_exceeded",
	"approval_required",
	"cap_exceeded",
	"quota_exceeded",
	"reserved_full",
	"capacity_backoff",
	"burst_not_due",
	"spot_worth_the_wait",
]);

/**
 * What a job without a placement waits for: home when it waits for money, otherwise the best cloud candidate that may become available. Its
 * worst case is then held, or refused, before the pipeline starts.
 */
function awaitedOf({ outcome, reason, candidates }: Explanation, mayLeave: boolean): Candidate | null {
	if (outcome === "fail") return null;
	const home = soonestAtHome(candidates);
	if (!mayLeave) return home;
	const cloud = candidates.find(
		({ placement, removedBy }) => placement.capacityType !== "owned" && (removedBy === null || PASSING.has(removedBy.why)),
	);
	return reason.code === "budget_exceeded" ? (home ?? cloud ?? null) : (cloud ?? home);
}

/**
 * The quote of a whole graph from those of its runs: times from sampled futures, slack from the critical path, and money as sums.
 * The maximum includes every retry. Later steps are quoted at present prices and queues.
 * @param runsOf quotes of a step's runs, one for each
 */
export function* quoteGraph(
	spec: Pick<PipelineSpec, "steps" | "deadlineMs" | "parallel">,
	runsOf: (step: PipelineSpec["steps"][number]) => readonly RunQuote[],
	nowMs: number,
): InParts<GraphQuote> {
	const positions = new Map(spec.steps.map(({ name }, at) => [name, at]));
	const drafts = spec.steps.map((step) => {
		const runs = runsOf(step);
		const longest = runs.reduce((a, b) => (b.run.p50Ms > a.run.p50Ms ? b : a));
		const latest = runs.reduce((a, b) => (b.wait.p50Ms > a.wait.p50Ms ? b : a));
		const needs = step.needs.flatMap((need) => positions.get(need) ?? []);
		return { step, runs, needs, run: longest.run, wait: latest.wait };
	});
	const paths = findCriticalPath(
		drafts.map(({ needs, run, wait }) => ({ needs, p50Ms: wait.p50Ms + run.p50Ms, p90Ms: wait.p90Ms + run.p90Ms })),
	);
	const sampled = yield* sampleFinish(
		drafts.map(({ needs, runs, run, wait }) => ({ needs, runs: runs.length, run, wait })),
		{ nowMs, deadlineMs: spec.deadlineMs, parallel: spec.parallel },
	);
	const steps = drafts.flatMap(({ step, runs, run }, at): QuotedStep[] => {
		const [path, times, first] = [paths[at], sampled.steps[at], runs[0]];
		if (!path || !times || !first) return [];
		return [
			{
				...path,
				...{ name: step.name, needs: step.needs, runs: runs.length, placement: first.placement, outcome: first.outcome },
				...{ runMs: run.p50Ms, start: times.start, finish: times.finish },
				expectedMicroUsd: runs.reduce((sum, one) => sum + one.cashMicroUsd, 0n),
				maximumMicroUsd: runs.reduce((sum, one) => sum + one.worstMicroUsd, 0n) * BigInt(step.retry + 1),
				emissionsGrams: sumOf(runs.map((one) => one.emissionsGrams)),
			},
		];
	});
	const roots = steps.filter(({ needs }) => needs.length === 0);
	return {
		start: {
			p50Ms: roots.reduce((first, { start }) => Math.min(first, start.p50Ms), Number.POSITIVE_INFINITY),
			p90Ms: roots.reduce((first, { start }) => Math.min(first, start.p90Ms), Number.POSITIVE_INFINITY),
		},
		finish: sampled.finish,
		expectedMicroUsd: steps.reduce((sum, step) => sum + step.expectedMicroUsd, 0n),
		maximumMicroUsd: steps.reduce((sum, step) => sum + step.maximumMicroUsd, 0n),
		emissionsGrams: sumOf(steps.map((step) => step.emissionsGrams)),
		deadlineRisk: sampled.missShare,
		steps,
	};
}

function sumOf(amounts: readonly (number | null)[]): number | null {
	const known = amounts.filter((amount) => amount !== null);
	return known.length === 0 ? null : known.reduce((sum, amount) => sum + amount, 0);
}
