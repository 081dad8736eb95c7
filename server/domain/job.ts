import type { CHECKPOINT_RANKS, CHECKPOINT_RESTORES } from "./checkpoint.ts";
import type { SecretRef } from "./job-secret.ts";
import type { WorkEvent } from "./notice.ts";
import type { OutputSpec } from "./output.ts";
import type { Scaling } from "./scaling.ts";
import type { WorkloadClass } from "./vocabulary.ts";

/** What a person submitted, normalised: defaults filled in, lengths of time in ms. `server/domain/job-file.ts` makes it. */
export interface JobSpec {
	name: string;
	team: string;
	project: string | null;
	labels: Record<string, string>;
	class: WorkloadClass;
	image: string | null;
	command: string[];
	env: Record<string, string>;
	/** Secrets of the team that the command receives; their values are nowhere in a spec. Absent: none. */
	secrets?: SecretRef[] | undefined;
	/** Machines that must start together. */
	nodes: number;
	/** Per node. */
	resources: {
		gpus: number;
		accelerators: string[];
		cpus: number | null;
		memoryGiB: number | null;
		/** Least memory of each GPU. Absent: any. */
		gpuMemoryGiB?: number;
		/** Needs bfloat16 units. Absent: it does not. */
		bf16?: boolean;
	};
	/** Declared speed by canonical accelerator: work per hour in any unit that all entries share. Absent: not declared. */
	throughput?: Record<string, number>;
	/** Declared run time by number of GPUs. Absent: it runs on the GPUs that it asks for. */
	scaling?: Scaling;
	duration: { estimateMs: number | null; maxMs: number | null };
	deadlineMs: number | null;
	/** 0..100, higher first. */
	priority: number;
	critical: boolean;
	/**
	 * A person approves each cloud placement that is estimated to cost more, USD. A number, as the conditions of policies compare
	 * estimates. Absent: only policies ask.
	 */
	approvalAboveUsd?: number;
	/** Events that are mailed to the submitter. Absent: those of the submitter's settings. */
	notify?: WorkEvent[];
	checkpoint: CheckpointSpec | null;
	data: DataRef[];
	/** Names of the site's file systems that the job needs. Absent: none. */
	mounts?: string[] | undefined;
	/** Results to upload when an attempt ends. Absent: none. */
	outputs?: OutputSpec[] | undefined;
	/** Patterns of output lines that report metrics. Absent: none. */
	metrics?: string[];
	/** Who submitted it, as run times are learned by: set where a snapshot is read, never by a job file. Absent: not known. */
	user?: string;
}

export interface CheckpointSpec {
	path: string;
	intervalMs: number;
	/** Complete checkpoints that are kept. Absent: CHECKPOINTS_KEPT. */
	keep?: number | undefined;
	/** Which ranks of a gang save. Absent: rank 0. */
	ranks?: (typeof CHECKPOINT_RANKS)[number] | undefined;
	/** Which shards a rank restores. Absent: all. */
	restore?: (typeof CHECKPOINT_RESTORES)[number] | undefined;
}

/** Complete checkpoints of a job that are kept without a rule in its file; older ones are deleted. */
export const CHECKPOINTS_KEPT = 2;

export interface DataRef {
	uri: string;
	sizeGiB: number | null;
	mount: string;
	residency: string[];
}

export function gpusOf(spec: JobSpec): number {
	return spec.nodes * spec.resources.gpus;
}

/** Regions or jurisdictions that every data set of the job allows; empty when none is said. */
export function residencyOf(spec: JobSpec): string[] {
	return [...new Set(spec.data.flatMap((d) => d.residency))].sort();
}
