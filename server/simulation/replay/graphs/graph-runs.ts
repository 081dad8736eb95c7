import { gpusOf } from "#server/domain/job.ts";
import { assert } from "#server/kernel/assert.ts";
import type { ReplayJob } from "../job.ts";
import type { MeasuredRun } from "../meter.ts";
import type { ReplayPipeline, ReplayScenario, TraceJob } from "../types.ts";
import type { GraphPlanner } from "./graph-planner.ts";
import { type DueRun, LiveGraph } from "./live-graph.ts";

/** The pipelines of a replay. A run becomes a job when what it needs has ended, by the same rules as live (domain/pipeline/advance.ts). */
export class GraphRuns {
	readonly #scenario: ReplayScenario;
	readonly #graphs: LiveGraph[] = [];
	/** Graphs with an ended job, or just submitted. */
	readonly #due = new Set<LiveGraph>();
	readonly #runOf = new Map<string, { graph: LiveGraph; index: number }>();
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

	/** The job is over. Jobs of no pipeline are ignored. */
	ended(jobId: string, state: "succeeded" | "failed"): void {
		const found = this.#runOf.get(jobId);
		if (!found) return;
		found.graph.ended(found.index, state);
		this.#due.add(found.graph);
	}

	/** Jobs of the runs that start now. */
	release(planner: GraphPlanner | undefined, nowMs: number): TraceJob[] {
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
		this.#runOf.set(id, { graph, index });
		return traceJobOf(this.#scenario, pipeline, { id, run, deadlineMs, submitMs: nowMs - this.#scenario.startMs });
	}
}

/** @param deadlineMs UTC ms */
export function traceJobOf(
	{ dataOutGiB, startMs }: Pick<ReplayScenario, "dataOutGiB" | "startMs">,
	pipeline: ReplayPipeline,
	{ id, run, deadlineMs, submitMs }: { id: string; run: DueRun["run"]; deadlineMs: number | null; submitMs: number },
): TraceJob {
	const durationMs = pipeline.runMs.get(run.name);
	assert(durationMs !== undefined, `run ${run.name} of ${pipeline.id} has no run time`);
	const spec = { ...run.job, deadlineMs };
	return {
		...{ id, submitMs, durationMs, gpus: gpusOf(spec), team: spec.team, user: null, accelerators: spec.resources.accelerators },
		...{ deadlineMs: deadlineMs === null ? null : deadlineMs - startMs - submitMs, deadlineKind: deadlineMs === null ? null : "strict" },
		...{ status: null, limitMs: spec.duration.estimateMs ?? spec.duration.maxMs, pipelineId: pipeline.id },
		recorded: { spec, approvedMicroUsd: null, dataOutGiB, withdrawnMs: null },
	};
}
