import { advancePipeline, type GraphStep, graphOf, type RunFacts, type RunMove, type RunView } from "#server/domain/pipeline/advance.ts";
import type { RunSpec } from "#server/domain/pipeline/pipeline.ts";
import { decideStops, type Trial } from "#server/domain/pipeline/stop-rule.ts";
import { FINAL_STEP_STATES, type PipelineState } from "#server/domain/states.ts";
import { readsReports, stepConditionHolds } from "#server/policy/step-condition.ts";
import type { ReplayJob } from "../job.ts";
import type { ReplayPipeline } from "../types.ts";

/** A run that starts now. */
export interface DueRun {
	run: RunSpec;
	/** Position of its step. */
	step: number;
	index: number;
	/** 1 for its first job. */
	tryNo: number;
}

/** A submitted pipeline of a replay: the states that the database holds of a live one. */
export class LiveGraph {
	readonly pipeline: ReplayPipeline;
	readonly submittedAtMs: number;
	readonly #steps: readonly GraphStep[];
	readonly #specs: readonly RunSpec[];
	readonly #readsFacts: boolean;
	#runs: readonly RunView[];
	/** By run: steps that its metric has reached. */
	readonly #reached: number[] = [];
	#state: PipelineState = "running";
	/** Why it was not admitted. */
	refusal: string | null = null;
	finishedAtMs: number | null = null;
	/** Every job of its runs, by id. */
	readonly jobs: ReplayJob[] = [];
	costMicroUsd = 0n;
	/** gCO2e; null once an attempt's emissions are unknown. */
	emissionsGrams: number | null = 0;

	constructor(pipeline: ReplayPipeline, nowMs: number) {
		const { steps } = pipeline.spec;
		this.pipeline = pipeline;
		this.submittedAtMs = nowMs;
		this.#steps = graphOf(steps);
		this.#readsFacts = steps.some(({ when }) => readsReports(when));
		this.#specs = steps.flatMap(({ runs }) => runs);
		const positions = steps.flatMap(({ runs }, step) => runs.map(() => step));
		this.#runs = positions.map((step, index) => ({ index, step, state: "waiting", tries: 0, job: null }));
	}

	get isOver(): boolean {
		return this.refusal !== null || this.finishedAtMs !== null;
	}

	get state(): PipelineState | "refused" {
		return this.refusal === null ? this.#state : "refused";
	}

	get runs(): readonly RunView[] {
		return this.#runs;
	}

	hasSucceeded(name: string): boolean {
		return this.#runs[this.#specs.findIndex((spec) => spec.name === name)]?.state === "succeeded";
	}

	/** Records the end of a run's job. */
	ended(index: number, exitCode: number): void {
		const state = exitCode === 0 ? "succeeded" : "failed";
		this.#runs = this.#runs.map((run) => (run.index === index ? { ...run, job: { state, exitCode } } : run));
	}

	/** A run's job was stopped early. */
	withdrawn(index: number): void {
		this.#runs = this.#runs.map((run) => (run.index === index ? { ...run, job: { state: "cancelled", exitCode: null } } : run));
	}

	valuesOf(index: number): readonly number[] {
		return this.pipeline.metric.get(this.#specs[index]?.name ?? "") ?? [];
	}

	/** Records that the metric of a run has reached a step, and returns the runs to stop for it, as the control loop does. */
	reported(index: number, step: number): number[] {
		const { stop } = this.pipeline.spec;
		if (!stop || step === 0) return [];
		this.#reached[index] = Math.max(step, this.#reached[index] ?? 0);
		const { stops, reached } = decideStops(stop, this.#trials());
		const why = new Map(stops.map((one) => [one.index, one.why]));
		// The trial that reached the target ends by itself.
		if (reached) for (const run of this.#runs) if (run.index !== reached.index && isOpen(run)) why.set(run.index, reached.why);
		this.#runs = this.#runs.map((run) => (run.stopWhy ? run : { ...run, stopWhy: why.get(run.index) ?? null }));
		return this.#runs.flatMap((run) => (why.has(run.index) && isRunning(run) ? [run.index] : []));
	}

	#trials(): Trial[] {
		return this.#runs.flatMap((run): Trial[] => {
			const values = this.valuesOf(run.index).slice(0, this.#reached[run.index] ?? 0);
			if (values.length === 0) return [];
			return [
				{ index: run.index, isRunning: isRunning(run) && !run.stopWhy, points: values.map((value, at) => ({ step: at + 1, value })) },
			];
		});
	}

	/** What the job of a run reported and wrote. */
	#factsOf({ index, step, job }: RunView): RunFacts | undefined {
		const { spec, metrics, resultGiB } = this.pipeline;
		const [run, source] = [this.#specs[index], spec.steps[step]];
		if (!run || !source || !job) return undefined;
		const written = job.state === "succeeded" ? (run.job.outputs ?? []) : [];
		const sizes = written.map(({ name }) => [name, resultGiB.get(`${source.name}.${name}`)] as const);
		return { metrics: metrics.get(run.name) ?? {}, results: Object.fromEntries(sizes.filter(isSized)) };
	}

	/** Applies the next moves, as the control loop does, and returns the runs that start now. */
	advance(nowMs: number): { due: DueRun[]; moves: readonly RunMove[] } {
		const runs = this.#readsFacts ? this.#runs.map((run) => ({ ...run, facts: this.#factsOf(run) })) : this.#runs;
		const { moves, submit, state } = advancePipeline(this.#steps, runs, {
			...{ state: this.#state, parallel: this.pipeline.spec.parallel, holds: stepConditionHolds },
		});
		const moved = new Map(moves.map(({ index, to }) => [index, to]));
		const starting = new Set(submit);
		this.#state = state;
		this.#runs = this.#runs.map((run): RunView => {
			if (starting.has(run.index)) return { ...run, state: "submitted", tries: run.tries + 1, job: { state: "queued", exitCode: null } };
			const to = moved.get(run.index);
			return to === undefined ? run : { ...run, state: to };
		});
		if (this.#runs.every((run) => FINAL_STEP_STATES.some((final) => final === run.state))) this.finishedAtMs = nowMs;
		const due = submit.flatMap((index): DueRun[] => {
			const [run, spec] = [this.#runs[index], this.#specs[index]];
			return run && spec ? [{ run: spec, step: run.step, index, tryNo: run.tries }] : [];
		});
		return { due, moves };
	}
}

/** Its job has not ended. */
function isRunning({ state, job }: RunView): boolean {
	return state === "submitted" && job?.state === "queued";
}

function isSized(entry: readonly [string, number | undefined]): entry is readonly [string, number] {
	return entry[1] !== undefined;
}

function isOpen(run: RunView): boolean {
	return run.state === "waiting" || isRunning(run);
}
