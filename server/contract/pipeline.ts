import { z } from "zod";
import { PIPELINE_SOURCES } from "#server/domain/imports/pipelines/import-pipelines.ts";
import { PIPELINE_KINDS } from "#server/domain/pipeline/pipeline.ts";
import { PIPELINE_STATES, STEP_STATES } from "#server/domain/states.ts";
import { importInput } from "./inputs/job.ts";
import { listPipelinesInput, listRunsInput, listTrialsInput, pipelineInput, retryInput } from "./inputs/pipeline.ts";
import { operation } from "./operation.ts";
import { outcomeSchema } from "./outputs/decision.ts";
import { findingSchema } from "./outputs/job.ts";
import { placementSchema } from "./outputs/shared.ts";
import { templateOriginSchema } from "./outputs/template.ts";
import { byId, entityId } from "./parts.ts";

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const microUsd = z.string().meta({ description: "Micro-dollars as a decimal text." });
const time = z.string().meta({ description: "ISO 8601, UTC." });
const counts = z.record(z.enum(STEP_STATES), z.number().int()).meta({ id: "StepCounts" });

/** A pipeline or sweep in lists: one row, however many jobs it has. */
export const pipelineSchema = z
	.object({
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
	})
	.meta({ id: "Pipeline" });

export const stepSchema = z
	.object({
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
	})
	.meta({ id: "PipelineStep" });

const range = z.object({ p50: time, p90: time });

export const pipelineQuoteSchema = z
	.object({
		kind: z.enum(PIPELINE_KINDS),
		name: z.string(),
		team: z.string(),
		decidedAt: time,
		steps: z.number().int(),
		runs: z.number().int(),
		start: range,
		finish: range,
		deadlineAt: time.nullable(),
		deadlineRisk: z.number().nullable().meta({ description: "Chance of missing the deadline, 0 to 1; null without one." }),
		expectedMicroUsd: microUsd,
		maximumMicroUsd: microUsd,
		emissionsGrams: z.number().nullable(),
		unsizedResults: z.number().int().meta({ description: "Results of unknown size. The cost of moving them is not included." }),
		budgetMicroUsd: microUsd.nullable(),
		isWithinBudget: z.boolean(),
		budgets: z.array(
			z.object({
				budgetId: z.string(),
				maximumMicroUsd: microUsd,
				freeMicroUsd: microUsd,
				capMicroUsd: microUsd,
				isEnough: z.boolean(),
			}),
		),
		stepList: z.array(
			z.object({
				name: z.string(),
				needs: z.array(z.string()),
				runs: z.number().int(),
				outcome: outcomeSchema,
				placement: placementSchema.nullable(),
				start: range,
				finish: range,
				runMs: z.number().meta({ description: "Median run time of its longest run, ms." }),
				slackMs: z.number().meta({ description: "How much later it may end without delaying the end, ms." }),
				isCritical: z.boolean(),
				expectedMicroUsd: microUsd,
				maximumMicroUsd: microUsd,
				emissionsGrams: z.number().nullable(),
				reason: z.string().nullable().meta({ description: "Why the step would be held or could never run." }),
			}),
		),
	})
	.meta({ id: "PipelineQuote" });

const stopSchema = z.object({
	metric: z.string(),
	goal: z.enum(["minimize", "maximize"]),
	rule: z.enum(["median", "halving", "none"]),
	warmup: z.number(),
	reduction: z.number(),
	target: z.number().nullable(),
});

export const pipelineDetailSchema = pipelineSchema
	.extend({
		labels: z.record(z.string(), z.string()),
		parameters: z.record(z.string(), scalar),
		parallel: z.number().int().nullable(),
		quote: pipelineQuoteSchema
			.nullable()
			.meta({ description: "The quote at submission; null for pipelines submitted before there were quotes." }),
		triggerId: z.string().nullable().meta({ description: "The trigger that started it." }),
		template: templateOriginSchema,
		stop: stopSchema.nullable(),
		reservedMicroUsd: microUsd.meta({ description: "What is still held in budgets for runs that are to come." }),
		stepList: z.array(stepSchema),
	})
	.meta({ id: "PipelineDetail" });

export const pipelinePageSchema = z.object({ items: z.array(pipelineSchema), nextCursor: z.string().nullable() });

export const submittedPipelineSchema = z.object({
	id: z.string(),
	state: z.literal("running"),
	kind: z.enum(PIPELINE_KINDS),
	name: z.string(),
	runs: z.number().int(),
});

export const runSchema = z
	.object({
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
	})
	.meta({ id: "PipelineRun" });

export const runPageSchema = z.object({
	items: z.array(runSchema),
	next: z.number().int().nullable().meta({ description: "Send it as after to get the next page; null on the last." }),
});

export const trialsSchema = z
	.object({
		metric: z.string().nullable(),
		goal: z.enum(["minimize", "maximize"]),
		metrics: z.array(z.string()),
		best: z.number().int().nullable().meta({ description: "Index of the best trial so far." }),
		items: z.array(
			z.object({
				index: z.number().int(),
				name: z.string(),
				values: z.record(z.string(), scalar),
				state: z.enum(STEP_STATES),
				jobId: z.string().nullable(),
				best: z.number().nullable(),
				last: z.number().nullable(),
				lastStep: z.number().nullable(),
				costMicroUsd: microUsd,
				why: z.string().nullable().meta({ description: "Why it was stopped early or skipped." }),
			}),
		),
	})
	.meta({ id: "Trials" });

export const importedPipelinesSchema = z
	.object({
		kind: z.enum(PIPELINE_SOURCES),
		documents: z.array(z.record(z.string(), z.unknown())),
		findings: z.array(findingSchema),
		questions: z.number().int(),
	})
	.meta({ id: "ImportedPipelines" });

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
	quote: operation({
		method: "POST",
		path: "/pipelines/quotes",
		summary: "Quote a pipeline or sweep: start, finish, cost and emissions of the whole and of each step",
		description: "The body is that of a submission. Later steps are quoted at present prices and queues. Nothing is written.",
		permission: "quote:ask",
		input: pipelineInput,
		text: "text",
		accepts: ["application/yaml"],
		output: pipelineQuoteSchema,
		procedure: "query",
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
	trials: operation({
		method: "GET",
		path: "/pipelines/{id}/trials",
		summary: "List the trials of a sweep with their values, metric and cost",
		description: "At most 2,000 trials.",
		permission: "job:read",
		input: listTrialsInput,
		output: trialsSchema,
		procedure: "query",
	}),
	importWorkflows: operation({
		method: "POST",
		path: "/imports/pipelines",
		summary: "Convert Argo workflows or a compiled Kubeflow pipeline to pipelines and report each loss; submits nothing",
		description: "[What is carried over](import.md#pipelines).",
		permission: "job:submit",
		input: importInput.omit({ kind: true }),
		text: "text",
		query: ["team", "zoneOffsetMinutes"],
		accepts: ["text/plain", "application/yaml"],
		output: importedPipelinesSchema,
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
