import type { JobSpec } from "../job.ts";
import type { StopRule } from "./stop-rule.ts";

export const PIPELINE_KINDS = ["Pipeline", "Sweep"] as const;
export type PipelineKind = (typeof PIPELINE_KINDS)[number];

/** A value of a parameter, matrix axis or trial. */
export type Scalar = string | number | boolean;

/** Limits on input. */
export const PIPELINE_LIMITS = {
	/** Declared steps. */
	steps: 10_000,
	/** Runs of all steps, after foreach and matrix. */
	runs: 10_000,
	needs: 1_000,
	parameters: 64,
	axisValues: 10_000,
	retry: 10,
	scalarCharacters: 256,
} as const;

/** A pipeline or sweep as submitted: parameters filled in, foreach and matrix expanded. `parsePipeline` builds it. */
export interface PipelineSpec {
	kind: PipelineKind;
	name: string;
	team: string;
	project: string | null;
	labels: Record<string, string>;
	parameters: Record<string, Scalar>;
	/** When every step must have ended, UTC ms. */
	deadlineMs: number | null;
	/** Maximum cloud spend of all steps together. */
	budgetMicroUsd: bigint | null;
	/** Runs at a time; null: no limit. */
	parallel: number | null;
	/** When trials of a sweep stop early. Absent: never. */
	stop?: StopRule | undefined;
	/** In topological order: each step comes after those it needs. */
	steps: StepSpec[];
}

/** A declared step. All its runs start once everything it needs has ended. */
export interface StepSpec {
	name: string;
	/** Names of steps, including the sources of its data. */
	needs: string[];
	/** A condition over `needs`; null: every needed run must succeed. */
	when: string | null;
	/** How often a failed run is submitted again. */
	retry: number;
	/** Outputs of needed steps used as data of this one. */
	inputs: StepInput[];
	runs: RunSpec[];
}

/**
 * The output of a step as data of another. If the step has several runs, each output is below `mount` under the name
 * of its run.
 */
export interface StepInput {
	step: string;
	output: string;
	mount: string;
}

/** One job of a step. */
export interface RunSpec {
	/** Unique in the pipeline: `train`, or `train-2` when the step has several runs. */
	name: string;
	/** Its values from foreach, matrix or trial. */
	values: Record<string, Scalar>;
	/** Without the data from other steps. */
	job: JobSpec;
}
