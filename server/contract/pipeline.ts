import { z } from "zod";
import { PIPELINE_KINDS } from "#server/domain/pipeline/pipeline.ts";
import { PIPELINE_STATES, STEP_STATES } from "#server/domain/states.ts";
import { listPipelinesInput, listRunsInput, pipelineInput, retryInput } from "./inputs/pipeline.ts";
import { operation } from "./operation.ts";
import { byId, entityId } from "./parts.ts";

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const microUsd = z.string().meta({ description: "Micro-dollars as a decimal text." });
const time = z.string().meta({ description: "ISO 8601, UTC." });
const counts = z.record(z.enum(STEP_STATES), z.number().int());

/** A pipeline or sweep in lists: one row, however many jobs it has. */
export const pipelineSchema = z.object({
	id: z.string(),
	kind: z.enum(PIPELINE_KINDS),
	name: z.string(),
	team: z.string(),
	project: z.string(),
	state: z.enum(PIPELINE_STATES),
	steps: z.number().int(),
	runs: z.number().int(),
	counts,
	submittedBy: z.string(),
	submittedAt: time,
	finishedAt: time.nullable(),
	deadlineAt: time.nullable(),
	budgetMicroUsd: microUsd.nullable(),
	costMicroUsd: microUsd,
	emissionsGrams: z.number(),
});

export const stepSchema = z.object({
	name: z.string(),
	needs: z.array(z.string()),
	when: z.string().nullable(),
	retry: z.number().int(),
	runs: z.number().int(),
	counts,
	running: z.number().int(),
	startedAt: time.nullable(),
	finishedAt: time.nullable(),
	costMicroUsd: microUsd,
	emissionsGrams: z.number(),
	why: z.string().nullable().meta({ description: "Why it was skipped." }),
	expectedRunMs: z.number(),
});

export const pipelineDetailSchema = pipelineSchema.extend({
	labels: z.record(z.string(), z.string()),
	parameters: z.record(z.string(), scalar),
	parallel: z.number().int().nullable(),
	quote: z.unknown().meta({ description: "The quote at submission." }),
	stepList: z.array(stepSchema),
});

export const pipelinePageSchema = z.object({ items: z.array(pipelineSchema), nextCursor: z.string().nullable() });

export const submittedPipelineSchema = z.object({
	id: z.string(),
	state: z.literal("running"),
	kind: z.enum(PIPELINE_KINDS),
	name: z.string(),
	runs: z.number().int(),
});

export const runSchema = z.object({
	index: z.number().int(),
	name: z.string(),
	step: z.string(),
	values: z.record(z.string(), scalar),
	state: z.enum(STEP_STATES),
	job: z.object({ id: z.string(), state: z.string() }).nullable(),
	tries: z.number().int(),
	exitCode: z.number().int().nullable(),
	why: z.string().nullable(),
	startedAt: time.nullable(),
	finishedAt: time.nullable(),
	costMicroUsd: microUsd,
});

export const runPageSchema = z.object({
	items: z.array(runSchema),
	next: z.number().int().nullable().meta({ description: "Send it as after to get the next page; null on the last." }),
});

const movedSchema = z.object({ id: z.string(), state: z.enum(PIPELINE_STATES) });

export const pipeline = {
	create: operation({
		method: "POST",
		path: "/pipelines",
		summary: "Submit a pipeline or sweep: all of its steps are accepted or none",
		description: "The body is the file itself (JSON, or YAML as application/yaml), or {text, parameters} or {document, parameters}.",
		permission: "job:submit",
		input: pipelineInput,
		text: "text",
		accepts: ["application/yaml"],
		status: 201,
		output: submittedPipelineSchema,
		write: true,
		procedure: "mutation",
	}),
	list: operation({
		method: "GET",
		path: "/pipelines",
		summary: "List pipelines and sweeps, newest first",
		permission: "job:read",
		input: listPipelinesInput,
		output: pipelinePageSchema,
		procedure: "query",
	}),
	get: operation({
		method: "GET",
		path: "/pipelines/{id}",
		summary: "Get a pipeline with the state, cost and times of each step",
		permission: "job:read",
		input: byId,
		output: pipelineDetailSchema,
		procedure: "query",
	}),
	runs: operation({
		method: "GET",
		path: "/pipelines/{id}/runs",
		summary: "List the runs of a pipeline's steps with their jobs",
		permission: "job:read",
		input: listRunsInput,
		output: runPageSchema,
		procedure: "query",
	}),
	cancel: operation({
		method: "POST",
		path: "/pipelines/{id}/cancel",
		summary: "Cancel a pipeline; running jobs stop first",
		permission: "job:cancel",
		input: byId,
		status: 202,
		output: movedSchema,
		write: true,
		procedure: "mutation",
	}),
	retry: operation({
		method: "POST",
		path: "/pipelines/{id}/retry",
		summary: "Run the unsuccessful steps of an ended pipeline again, or a step and all that need it",
		permission: "job:submit",
		input: retryInput.extend({ id: entityId }),
		status: 202,
		output: movedSchema.extend({ runs: z.number().int() }),
		write: true,
		procedure: "mutation",
	}),
};
