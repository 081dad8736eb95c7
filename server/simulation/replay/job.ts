import type { DataRef } from "#server/domain/job.ts";
import { assert } from "#server/kernel/assert.ts";
import type { Run, SeenJob } from "./run.ts";
import { acceleratorsFor, recordedOnOf, trueSpeed } from "./true-speeds.ts";
import type { RecordedJob, ReplayThroughput, TraceJob } from "./types.ts";

/** The job itself, including facts that only the replay knows. */
export class ReplayJob implements SeenJob {
	readonly index: number;
	readonly id: string;
	readonly team: string;
	readonly user: string | null;
	readonly accelerators: readonly string[];
	readonly gpus: number;
	readonly nodes: number;
	readonly gpusPerNode: number;
	readonly submittedAtMs: number;
	readonly deadlineAtMs: number | null;
	readonly deadlineKind: TraceJob["deadlineKind"];
	readonly limitMs: number | null;
	readonly pipelineId: string | null;
	readonly data: readonly DataRef[];
	readonly recorded: RecordedJob | null;
	/** Run time on a machine of speed 1, ms. Speed 1 is the recorded accelerator if the scenario gives no speeds. */
	readonly workMs: number;
	savedMs = 0;
	savedAt: string | null = null;
	attempts = 0;
	pendingSinceMs: number;
	run: Run | null = null;
	/** First start of its command and end of the finishing attempt; UTC ms. */
	firstStartMs: number | null = null;
	/** Whether that start was in a cloud. */
	startedInCloud = false;
	finishedAtMs: number | null = null;
	/** It was cancelled, or a strategy declared that no strategy can ever run it. */
	givenUp = false;

	constructor(
		trace: TraceJob,
		index: number,
		startMs: number,
		gpusPerNode: number,
		data: readonly DataRef[],
		throughput?: ReplayThroughput,
	) {
		assert(trace.gpus >= 1 && trace.durationMs >= 0, `job ${trace.id} needs at least one GPU and a length of 0 or more`);
		const spec = trace.recorded?.spec ?? null;
		const shape = spec ? { nodes: spec.nodes, gpusPerNode: spec.resources.gpus } : shapeOf(trace.gpus, gpusPerNode);
		this.index = index;
		this.id = trace.id;
		this.team = trace.team;
		this.user = trace.user;
		this.accelerators = spec?.resources.accelerators ?? (throughput ? acceleratorsFor(throughput, trace) : trace.accelerators);
		this.nodes = shape.nodes;
		this.gpusPerNode = shape.gpusPerNode;
		this.gpus = shape.nodes * shape.gpusPerNode;
		this.submittedAtMs = startMs + trace.submitMs;
		this.deadlineAtMs = spec ? spec.deadlineMs : trace.deadlineMs === null ? null : this.submittedAtMs + trace.deadlineMs;
		this.deadlineKind = trace.deadlineKind;
		this.limitMs = trace.limitMs;
		this.pipelineId = trace.pipelineId ?? null;
		this.data = spec?.data ?? data;
		this.recorded = trace.recorded ?? null;
		// Nothing runs for less than a millisecond, so that an end comes after its start.
		const recordedSpeed = throughput ? trueSpeed(throughput, trace, recordedOnOf(throughput, trace)) || 1 : 1;
		this.workMs = Math.max(1, Math.round(trace.durationMs * recordedSpeed));
		this.pendingSinceMs = this.submittedAtMs;
	}
}

/** One node if it can hold the job, else as few full nodes as needed, with equal shares: 12 GPUs on nodes of 8 are 2 × 6. */
export function shapeOf(gpus: number, gpusPerNode: number): { nodes: number; gpusPerNode: number } {
	const nodes = Math.ceil(gpus / gpusPerNode);
	return { nodes, gpusPerNode: Math.ceil(gpus / nodes) };
}
