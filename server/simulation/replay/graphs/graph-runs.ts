import { gpusOf } from "#server/domain/job.ts";
import { assert } from "#server/kernel/assert.ts";
import type { ReplayJob } from "../job.ts";
import type { MeasuredRun } from "../meter.ts";
import type { ReplayPipeline, ReplayScenario, TraceJob } from "../types.ts";
import type { GraphPlanner } from "./graph-planner.ts";
import { type DueRun, LiveGraph } from "./live-graph.ts";
import { resultsReadBy, resultsWrittenBy } from "./results.ts";

const NONE: readonly TraceJob[] = [];

/** The pipelines of a replay. A run becomes a job when what it needs has ended, by the same rules as live (domain/pipeline/advance.ts). */
export class GraphRuns {
	readonly #scenario: ReplayScenario;
	readonly #graphs: LiveGraph[] = [];
	/** Graphs with an ended job, or just submitted. */
	readonly #due = new Set<LiveGraph>();
	readonly #runOf = new Map<string, { graph: LiveGraph; index: number; exitCode: number }>();
	#toSubmit: number;

	constructor(scenario: ReplayScenario) {
		this.#scenario = scenario;
		this.#toSubmit = scenario.pipelines?.length ?? 0;
	}

	get all(): readonly LiveGraph[] {
		return this.#graphs;
	}

	/** Whether some pipeline is not submitted yet, or can still advance. */
	get isLive(): boolean {
		return this.#toSubmit > 0 || this.#due.size > 0;
	}

	submit(pipeline: ReplayPipeline, planner: GraphPlanner | undefined, nowMs: number): void {
		const graph = new LiveGraph(pipeline, nowMs);
		this.#toSubmit--;
		this.#graphs.push(graph);
		graph.refusal = planner?.submit(pipeline) ?? null;
		if (graph.refusal === null) this.#due.add(graph);
	}

	/** Adds a job that was made for a run. */
	began(job: ReplayJob): void {
		this.#runOf.get(job.id)?.graph.jobs.push(job);
	}

	measured({ run, costMicroUsd, emissionsGrams }: MeasuredRun): void {
		const graph = this.#runOf.get(run.job.id)?.graph;
		if (!graph) return;
		graph.costMicroUsd += costMicroUsd;
		graph.emissionsGrams = graph.emissionsGrams === null || emissionsGrams === null ? null : graph.emissionsGrams + emissionsGrams;
	}

	/** The job is over; `isDone`: its command ended by itself. Jobs of no pipeline are ignored. */
	ended(jobId: string, isDone: boolean): void {
		const found = this.#runOf.get(jobId);
		if (!found) return;
		found.graph.ended(found.index, isDone ? found.exitCode : 1);
		this.#due.add(found.graph);
	}

	/** The job was stopped early. */
	withdrawn(jobId: string): void {
		const found = this.#runOf.get(jobId);
		if (!found) return;
		found.graph.withdrawn(found.index);
		this.#due.add(found.graph);
	}

	/** Number of values of its metric that the job reports. */
	valueCount(jobId: string): number {
		const found = this.#runOf.get(jobId);
		return found ? found.graph.valuesOf(found.index).length : 0;
	}

	/** The job's metric has reached a step. Returns the jobs of its sweep to stop. */
	reported(jobId: string, step: number): ReplayJob[] {
		const found = this.#runOf.get(jobId);
		if (!found) return [];
		const stopped = new Set(found.graph.reported(found.index, step));
		if (stopped.size > 0) this.#due.add(found.graph);
		return found.graph.jobs.filter((job) => {
			const index = this.#runOf.get(job.id)?.index;
			return index !== undefined && stopped.has(index) && job.finishedAtMs === null && !job.givenUp;
		});
	}

	/** Jobs of the runs that start now. */
	release(planner: GraphPlanner | undefined, nowMs: number): readonly TraceJob[] {
		if (this.#due.size === 0) return NONE;
		const graphs = [...this.#due];
		this.#due.clear();
		return graphs.flatMap((graph) => {
			const before = graph.runs;
			const { due, moves } = graph.advance(nowMs);
			planner?.advanced(graph.pipeline, before, moves);
			return due.map((run) => this.#jobOf(graph, run, planner, nowMs));
		});
	}

	#jobOf(graph: LiveGraph, { run, step, index, tryNo }: DueRun, planner: GraphPlanner | undefined, nowMs: number): TraceJob {
		const { pipeline } = graph;
		const id = `${pipeline.id}/${run.name}${tryNo > 1 ? `#${tryNo}` : ""}`;
		const deadlineMs = planner ? planner.deadlineOf(pipeline, step, nowMs) : pipeline.spec.deadlineMs;
		const codes = pipeline.exitCodes.get(run.name) ?? [];
		const exitCode = codes[tryNo - 1] ?? codes.at(-1) ?? 0;
		this.#runOf.set(id, { graph, index, exitCode });
		const hasWritten = (name: string): boolean => graph.hasSucceeded(name);
		const submitMs = nowMs - this.#scenario.startMs;
		return traceJobOf(this.#scenario, pipeline, { id, run, step, deadlineMs, submitMs, hasWritten, fails: exitCode !== 0 });
	}
}

interface RunJob extends Pick<DueRun, "run" | "step"> {
	id: string;
	/** UTC ms. */
	deadlineMs: number | null;
	/** From the replay's start, ms. */
	submitMs: number;
	/** Whether this run has written its results. */
	hasWritten: (run: string) => boolean;
	/** It brings nothing home. */
	fails: boolean;
}

export function traceJobOf(
	scenario: Pick<ReplayScenario, "dataOutGiB" | "startMs">,
	pipeline: ReplayPipeline,
	{ id, run, step: position, deadlineMs, submitMs, hasWritten, fails }: RunJob,
): TraceJob {
	const [step, durationMs] = [pipeline.spec.steps[position], pipeline.runMs.get(run.name)];
	assert(step !== undefined && durationMs !== undefined, `run ${run.name} of ${pipeline.id} has no step or no run time`);
	const spec = { ...run.job, deadlineMs, data: [...run.job.data, ...resultsReadBy(pipeline, step, hasWritten)] };
	const dataOutGiB = fails ? 0 : (resultsWrittenBy(pipeline, step) ?? scenario.dataOutGiB);
	return {
		...{ id, submitMs, durationMs, gpus: gpusOf(spec), team: spec.team, user: null, accelerators: spec.resources.accelerators },
		...{
			deadlineMs: deadlineMs === null ? null : deadlineMs - scenario.startMs - submitMs,
			deadlineKind: deadlineMs === null ? null : "strict",
		},
		...{ status: null, limitMs: spec.duration.estimateMs ?? spec.duration.maxMs, pipelineId: pipeline.id },
		recorded: { spec, approvedMicroUsd: null, dataOutGiB, withdrawnMs: null },
	};
}
