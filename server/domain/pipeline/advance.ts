import { FINAL_STEP_STATES, type JobState, type PipelineState, type StepState } from "../states.ts";
import type { StepSpec } from "./pipeline.ts";

/** A declared step as stored in the database, in topological order. */
export interface GraphStep {
	name: string;
	/** Positions of the steps it needs. */
	needs: readonly number[];
	when: string | null;
	retry: number;
}

/** The steps of a file by position. @param steps in topological order */
export function graphOf(steps: readonly Pick<StepSpec, "name" | "needs" | "when" | "retry">[]): GraphStep[] {
	const positions = new Map(steps.map(({ name }, position) => [name, position]));
	return steps.map(({ name, needs, when, retry }) => ({ name, when, retry, needs: needs.flatMap((need) => positions.get(need) ?? []) }));
}

/** One run of a step in its current state. */
export interface RunView {
	/** Position among all runs. */
	index: number;
	/** Position of its step. */
	step: number;
	state: StepState;
	/** Jobs submitted for it since the last manual retry. */
	tries: number;
	/** Why its job was stopped early; it then counts as skipped. */
	stopWhy?: string | null;
	/** State and exit code of its job, if any. */
	job: { state: JobState; exitCode: number | null } | null;
	/** What its job reported and wrote. Absent: no condition reads it. */
	facts?: RunFacts | undefined;
}

export interface RunFacts {
	/** Last value of each metric, by name. */
	metrics: Readonly<Record<string, number>>;
	/** Size of each result, GiB, by name. */
	results: Readonly<Record<string, number>>;
}

/**
 * What a condition can read from a needed step. `exit`: the highest exit code of its runs, 0 without one. `min` and `max`: the lowest and
 * highest of the runs' last values, by metric. `results`: GiB of all runs, by result.
 */
export interface NeedFacts {
	state: "succeeded" | "failed" | "skipped" | "cancelled";
	exit: number;
	runs: number;
	succeeded: number;
	failed: number;
	skipped: number;
	min: Readonly<Record<string, number>>;
	max: Readonly<Record<string, number>>;
	results: Readonly<Record<string, number>>;
}

export interface RunMove {
	index: number;
	to: StepState;
	exitCode: number | null;
	/** Why it was skipped; null for other moves. */
	why: string | null;
}

export interface Advance {
	moves: RunMove[];
	/** Runs to submit as jobs now, in order. */
	submit: number[];
	state: PipelineState;
	/** Runs by state, after the moves. */
	counts: Record<StepState, number>;
}

/** Evaluates a condition; null: no result, and the step is skipped. */
export type Holds = (when: string, needs: Readonly<Record<string, NeedFacts>>) => { holds: boolean | null; error: string | null };

/**
 * Next moves. A run becomes a job when all needed steps succeeded, or when its condition holds; steps that need a
 * failed step are skipped. Linear in runs and edges. Idempotent: a second call on the result changes nothing.
 * @param graph in topological order
 * @param runs ordered by step
 */
export function advancePipeline(
	graph: readonly GraphStep[],
	runs: readonly RunView[],
	options: { state: PipelineState; parallel: number | null; holds: Holds },
): Advance {
	const cancelling = options.state === "cancelling";
	const moves: RunMove[] = [];
	const submit: number[] = [];
	const now = runs.map((run) => settle(run, graph[run.step]?.retry ?? 0, cancelling, moves));
	const byStep = groupByStep(graph.length, runs);
	let live = now.filter((state) => state === "submitted").length;
	const facts: (NeedFacts | null)[] = [];
	for (const [position, step] of graph.entries()) {
		const own = byStep[position] ?? [];
		const waiting = own.filter((at) => now[at] === "waiting");
		const verdict = waiting.length === 0 ? null : judge(graph, step, facts, options.holds);
		for (const at of waiting) {
			const index = runs[at]?.index ?? 0;
			if (verdict?.kind === "skip") {
				now[at] = "skipped";
				moves.push({ index, to: "skipped", exitCode: null, why: verdict.why });
			} else if (verdict?.kind === "start" && (options.parallel === null || live < options.parallel)) {
				now[at] = "submitted";
				live++;
				submit.push(index);
			}
		}
		facts[position] = factsOf(own, now, runs);
	}
	const counts = countStates(now);
	return { moves, submit, state: stateOf(counts, options.state), counts };
}

/** The state of a run after processing the end of its job. */
function settle(run: RunView, retry: number, cancelling: boolean, moves: RunMove[]): StepState {
	const move = (to: StepState, why: string | null = null): StepState => {
		moves.push({ index: run.index, to, exitCode: run.job?.exitCode ?? null, why });
		return to;
	};
	if (run.state === "waiting") return cancelling ? move("cancelled") : run.stopWhy ? move("skipped", run.stopWhy) : "waiting";
	if (run.state !== "submitted" || !run.job) return run.state;
	switch (run.job.state) {
		case "succeeded":
			return move("succeeded");
		case "cancelled":
			return run.stopWhy && !cancelling ? move("skipped", run.stopWhy) : move("cancelled");
		case "failed":
			return move(run.tries <= retry && !cancelling && !run.stopWhy ? "waiting" : "failed");
		default:
			return "submitted";
	}
}

type Verdict = { kind: "wait" } | { kind: "start" } | { kind: "skip"; why: string };

function judge(graph: readonly GraphStep[], step: GraphStep, facts: readonly (NeedFacts | null)[], holds: Holds): Verdict {
	const needs: Record<string, NeedFacts> = {};
	let unfit: string | null = null;
	for (const position of step.needs) {
		const fact = facts[position];
		if (!fact) return { kind: "wait" };
		const name = graph[position]?.name ?? "";
		needs[name] = fact;
		if (fact.state !== "succeeded") unfit ??= `${name} ${fact.state === "failed" ? "failed" : `was ${fact.state}`}`;
	}
	if (step.when === null) return unfit === null ? { kind: "start" } : { kind: "skip", why: unfit };
	const verdict = holds(step.when, needs);
	if (verdict.holds) return { kind: "start" };
	return { kind: "skip", why: verdict.error === null ? "its condition does not hold" : `its condition has no result: ${verdict.error}` };
}

/** Positions in `runs` by step. */
function groupByStep(steps: number, runs: readonly RunView[]): number[][] {
	const groups: number[][] = Array.from({ length: steps }, () => []);
	for (const [at, run] of runs.entries()) groups[run.step]?.push(at);
	return groups;
}

/** Null while a run of the step has not ended. */
function factsOf(own: readonly number[], now: readonly StepState[], runs: readonly RunView[]): NeedFacts | null {
	const count = { succeeded: 0, failed: 0, skipped: 0, cancelled: 0 };
	let exit = 0;
	for (const at of own) {
		const state = now[at] ?? "waiting";
		const end = FINAL_STEP_STATES.find((final) => final === state);
		if (!end) return null;
		count[end]++;
		exit = Math.max(exit, runs[at]?.job?.exitCode ?? 0);
	}
	const { succeeded, failed, skipped, cancelled } = count;
	const state = failed > 0 ? "failed" : cancelled > 0 ? "cancelled" : skipped === own.length && own.length > 0 ? "skipped" : "succeeded";
	const reported = own.flatMap((at) => runs[at]?.facts ?? []);
	const metrics = reported.map((facts) => facts.metrics);
	return {
		...{ state, exit, runs: own.length, succeeded, failed, skipped },
		...{ min: merged(metrics, Math.min), max: merged(metrics, Math.max) },
		results: merged(
			reported.map((facts) => facts.results),
			(a, b) => a + b,
		),
	};
}

function merged(all: readonly Readonly<Record<string, number>>[], merge: (a: number, b: number) => number): Record<string, number> {
	const sums = new Map<string, number>();
	for (const one of all)
		for (const [name, value] of Object.entries(one)) {
			const known = sums.get(name);
			sums.set(name, known === undefined ? value : merge(known, value));
		}
	return Object.fromEntries(sums);
}

function countStates(states: readonly StepState[]): Record<StepState, number> {
	const counts: Record<StepState, number> = { waiting: 0, submitted: 0, succeeded: 0, failed: 0, skipped: 0, cancelled: 0 };
	for (const state of states) counts[state]++;
	return counts;
}

function stateOf(counts: Record<StepState, number>, before: PipelineState): PipelineState {
	if (counts.waiting + counts.submitted > 0) return before;
	if (before === "cancelling" && counts.cancelled > 0) return "cancelled";
	if (counts.failed > 0) return "failed";
	return counts.cancelled > 0 ? "cancelled" : "succeeded";
}
