import type { JobFile } from "../job-file.ts";
import type { WorkEvent } from "../notice.ts";

/** Sources of an imported job. */
export const SCRIPT_KINDS = ["sbatch", "kubernetes"] as const;
export type ScriptKind = (typeof SCRIPT_KINDS)[number];

/**
 * What happened to one line or setting of a script or manifest. `carried`: it means the same here. `changed`: it has
 * another form here, with the same purpose. `dropped`: it has no meaning here, or is not needed. `question`: it
 * matters and cannot be carried over; a person has to decide.
 */
export type FindingKind = "carried" | "changed" | "dropped" | "question";

export interface Finding {
	/** 1-based line of the given text. */
	line: number;
	kind: FindingKind;
	/** What it concerns, as written or implied: "8 GPUs, h100". */
	subject: string;
	/** What was done and why; for a question, what to do. Empty when `carried` says it all. */
	text: string;
}

/** A sweep of one job, in the format of the pipeline file: the result of a job array. */
export interface SweepFile {
	apiVersion: "spillway/v1";
	kind: "Sweep";
	metadata: JobFile["metadata"];
	spec: {
		parameters?: Record<string, { type: "text"; default: string }>;
		parallel?: number;
		notify?: WorkEvent[];
		deadline?: string;
		grid: { task: number[] };
		job: Omit<JobFile["spec"], "deadline" | "notify">;
	};
}

/** Jobs as job file documents, or an array as a sweep, in order of submission, with all findings. */
export interface Imported<D extends JobFile | SweepFile = JobFile> {
	documents: D[];
	/** In line order. Every directive and every relevant line has at least one. */
	findings: Finding[];
}

/** What the importer knows about the installation. */
export interface ImportContext {
	/** The team to use when the text names no existing one. */
	team: string;
	/** Existing teams that the person may submit for; empty: unknown. */
	teams: readonly string[];
	/** Accelerators that match a name such as `a100`; empty: none. */
	acceleratorsNamed: (word: string) => readonly string[];
	/** For dates without one: minutes east of UTC. */
	zoneOffsetMinutes: number;
	/** The person's own address; null: none or unknown. */
	email: string | null;
	nowMs: number;
}
