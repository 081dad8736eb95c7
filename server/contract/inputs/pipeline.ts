import { z } from "zod";
import { PIPELINE_KINDS } from "#server/domain/pipeline/pipeline.ts";
import { PIPELINE_STATES } from "#server/domain/states.ts";

/** A pipeline or sweep as text, so that problems have a line and column, or as a document. */
export const pipelineInput = z.strictObject({
	text: z.string().optional(),
	document: z.unknown().optional(),
	/** Values of parameters, by name. */
	parameters: z.record(z.string().max(64), z.union([z.string(), z.number(), z.boolean()])).default({}),
});

export const listPipelinesInput = z.strictObject({
	state: z.array(z.enum(PIPELINE_STATES)).max(10).default([]),
	kind: z.enum(PIPELINE_KINDS).optional(),
	team: z.array(z.string().max(64)).max(50).default([]),
	/** Part of a name. */
	q: z.string().trim().max(128).optional(),
	cursor: z.string().max(256).optional(),
	limit: z.number().int().min(1).max(200).default(50),
});

export const listRunsInput = z.strictObject({
	id: z.string().min(1).max(64),
	/** Only runs of this step. */
	step: z.string().max(64).optional(),
	/** Number of the last run on the previous page. */
	after: z.number().int().min(-1).default(-1),
	limit: z.number().int().min(1).max(500).default(100),
});

export const listTrialsInput = z.strictObject({
	id: z.string().min(1).max(64),
	/** The metric to compare; absent: the sweep's own, else the first reported one. */
	metric: z.string().max(100).optional(),
});

export const retryInput = z.strictObject({
	/** Re-runs this step and all steps that need it, even successful ones. Absent: only those that did not succeed. */
	from: z.string().min(1).max(64).optional(),
});
