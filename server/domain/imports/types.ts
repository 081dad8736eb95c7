import type { JobFile } from "../job-file.ts";
import type { WorkEvent } from "../notice.ts";

/** What a job can be read from. */
export const SCRIPT_KINDS = ["sbatch", "kubernetes"] as const;
export type ScriptKind = (typeof SCRIPT_KINDS)[number];

/**
 * What became of one thing that a script or manifest says.
 * `carried`: it means the same here. `changed`: it has another form here, with the same purpose. `dropped`: it has no
 * meaning here, or none is needed. `question`: it matters and cannot be carried; a person has to say what to do.
 */
export type FindingKind = "carried" | "changed" | "dropped" | "question";

export interface Finding {
	/** 1-based line of the text that was given. */
	line: number;
	kind: FindingKind;
	/** What it is about, as it was written or meant: "8 GPUs, h100". */
	subject: string;
	/** What was done and why; what to do, for a question. Empty where `carried` says it all. */
	text: string;
}

/** A sweep of one job, as the pipeline file takes it: what an array of jobs becomes. */
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

/** Jobs as documents of the job file, or an array as a sweep, in the order in which they should be submitted, and what became of everything. */
export interface Imported<D extends JobFile | SweepFile = JobFile> {
	documents: D[];
	/** In the order of lines. Every directive and every line that matters has at least one. */
	findings: Finding[];
}

/** What the importer may know of the place that the job is brought to. */
export interface ImportContext {
	/** The team when the text names none that exists. */
	team: string;
	/** Teams that exist and that the person may submit for; empty: not known. */
	teams: readonly string[];
	/** Accelerators that a word such as `a100` stands for; empty: none. */
	acceleratorsNamed: (word: string) => readonly string[];
	/** For dates without one: minutes east of UTC. */
	zoneOffsetMinutes: number;
	/** The person's own address; null: none, or not known. */
	email: string | null;
	nowMs: number;
}
