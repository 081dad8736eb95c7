import type { CHECKPOINT_RANKS, CHECKPOINT_RESTORES } from "./checkpoint.ts";
import type { SecretRef } from "./job-secret.ts";
import type { WorkEvent } from "./notice.ts";
import type { OutputSpec } from "./output.ts";
import type { Scaling } from "./scaling.ts";
import type { WorkloadClass } from "./vocabulary.ts";

/** A submitted job, normalized: defaults filled in, durations in ms. `server/domain/job-file.ts` builds it. */
export interface JobSpec {
	name: string;
	team: string;
	project: string | null;
	labels: Record<string, string>;
	class: WorkloadClass;
	image: string | null;
	command: string[];
	env: Record<string, string>;
	/** Secrets of the team that the command receives; a spec never contains their values. Absent: none. */
	secrets?: SecretRef[] | undefined;
	/** Machines that must start together. */
	nodes: number;
	/** The network that several machines need between them. Absent: any. */
	interconnect?: "high" | undefined;
	/** Per node. */
	resources: {
		gpus: number;
		accelerators: string[];
		cpus: number | null;
		memoryGiB: number | null;
		/** Minimum memory of each GPU. Absent: any. */
		gpuMemoryGiB?: number;
		/** Needs bfloat16 units. Absent: it does not. */
		bf16?: boolean;
	};
	/** Declared speed by canonical accelerator: work per hour, in any unit shared by all entries. Absent: not declared. */
	throughput?: Record<string, number>;
	/** Declared run time by number of GPUs. Absent: it runs only on the requested number. */
	scaling?: Scaling;
	duration: { estimateMs: number | null; maxMs: number | null };
	deadlineMs: number | null;
	/** 0..100, higher first. */
	priority: number;
	critical: boolean;
	/**
	 * Cloud placements estimated above this need approval, USD. A number, since policy conditions compare estimates as
	 * numbers. Absent: only policies require approval.
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
	/** The submitter, for learned run times: set when a snapshot is read, never by a job file. Absent: unknown. */
	user?: string;
}

export interface CheckpointSpec {
	path: string;
	intervalMs: number;
	/** Number of complete checkpoints to keep. Absent: CHECKPOINTS_KEPT. */
	keep?: number | undefined;
	/** Which ranks of a gang save. Absent: rank 0. */
	ranks?: (typeof CHECKPOINT_RANKS)[number] | undefined;
	/** Which shards a rank restores. Absent: all. */
	restore?: (typeof CHECKPOINT_RESTORES)[number] | undefined;
}

/** Default number of complete checkpoints to keep per job; older ones are deleted. */
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

/** Regions or jurisdictions that every data set of the job allows; empty when unrestricted. */
export function residencyOf(spec: JobSpec): string[] {
	return [...new Set(spec.data.flatMap((d) => d.residency))].sort();
}
