import { z } from "zod";

// Inputs of MLflow's tracking REST API 2.0. Unknown fields are ignored, because newer clients send more.

const text = (most: number) =>
	z
		.string()
		.max(most)
		.refine((value) => !value.includes("\0"), "must not contain NUL");
const name = text(250).min(1);
/** 64-bit numbers arrive as numbers or strings. */
const integer = z.coerce.number().int().refine(Number.isSafeInteger, "is too large");
const number = z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"]).transform(Number)]);

const tag = z.object({ key: name, value: text(5_000).default("") });
const metric = z.object({ key: name, value: number, timestamp: integer.default(0), step: integer.default(0) });
const param = z.object({ key: name, value: text(6_000) });
const modelId = { model_id: text(64) };
const runId = { run_id: text(64).optional(), run_uuid: text(64).optional() };

function parseObject(json: string, ctx: z.RefinementCtx): object {
	try {
		return z.looseObject({}).parse(JSON.parse(json));
	} catch {
		ctx.addIssue({ code: "custom", message: "must be a JSON object" });
		return z.NEVER;
	}
}

export const inputs = {
	createExperiment: z.object({ name, tags: z.array(tag).default([]) }),
	experimentByName: z.object({ experiment_name: name }),
	experimentById: z.object({ experiment_id: integer }),
	createRun: z.object({
		experiment_id: integer,
		run_name: text(250).optional(),
		user_id: text(250).optional(),
		start_time: integer.optional(),
		tags: z.array(tag).max(1_000).default([]),
	}),
	run: z.object(runId),
	updateRun: z.object({
		...runId,
		status: z.enum(["RUNNING", "SCHEDULED", "FINISHED", "FAILED", "KILLED"]).optional(),
		end_time: integer.optional(),
		run_name: text(250).optional(),
	}),
	logMetric: metric.extend(runId),
	logParameter: z.object({ ...runId, key: name, value: text(6_000) }),
	setTag: tag.extend(runId),
	logBatch: z.object({
		...runId,
		metrics: z.array(metric).max(1_000).default([]),
		params: z.array(param).max(100).default([]),
		tags: z.array(tag).max(100).default([]),
	}),
	logModel: z.object({ ...runId, model_json: text(65_536).transform(parseObject) }),
	createModel: z.object({
		name: name.refine((value) => !/[/:.%"']/.test(value) && value.trim() !== "", "must not contain / : . % \" or '").default("model"),
		source_run_id: text(64).optional(),
		model_type: text(250).default(""),
		tags: z.array(tag).max(1_000).default([]),
		params: z.array(param).max(1_000).default([]),
	}),
	model: z.object(modelId),
	finalizeModel: z.object({ ...modelId, status: z.enum(["LOGGED_MODEL_PENDING", "LOGGED_MODEL_READY", "LOGGED_MODEL_UPLOAD_FAILED"]) }),
	tagModel: z.object({ ...modelId, tags: z.array(tag).max(1_000) }),
	setModelParams: z.object({ ...modelId, params: z.array(param).max(1_000) }),
	listModelFiles: z.object({ ...modelId, artifact_directory_path: text(1_024).default("") }),
	logOutputs: z.object({ ...runId, models: z.array(z.object({ ...modelId, step: integer.default(0) })).max(1_000) }),
	listArtifacts: z.object({ ...runId, path: text(1_024).default("") }),
	searchRuns: z.object({ experiment_ids: z.array(integer).max(100).default([]), max_results: integer.default(1_000) }),
	history: z.object({ ...runId, metric_key: name }),
};
