import { randomBytes } from "node:crypto";
import type { z } from "zod";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { modelOutputs } from "#server/services/work/metric/logged-model.ts";
import * as tracking from "#server/services/work/metric/tracking.ts";
import { listRunArtifacts } from "#server/services/work/run-artifact/read.ts";
import { artifactUri, fileInfo } from "./artifacts.ts";
import { inputs } from "./inputs.ts";
import { createModel, finalizeModel, getModel, listModelFiles, logOutputs, setModelParams, tagModel } from "./logged-models.ts";

type Route = (ctx: ServiceContext, input: unknown) => Promise<object>;

function route<S extends z.ZodType>(schema: S, run: (ctx: ServiceContext, input: z.output<S>) => Promise<object>): Route {
	return async (ctx, input) => run(ctx, schema.parse(input));
}

function idOf({ run_id, run_uuid }: { run_id?: string | undefined; run_uuid?: string | undefined }): string {
	const id = run_id || run_uuid;
	if (id) return id;
	throw new SpillwayError("invalid_input", "run_id is required.");
}

function experimentView({ id, name, createdAt, deletedAt }: tracking.ExperimentRow) {
	return {
		...{
			experiment_id: String(id),
			name,
			artifact_location: `mlflow-artifacts:/${id}`,
			lifecycle_stage: deletedAt === null ? "active" : "deleted",
		},
		...{ creation_time: createdAt.getTime(), last_update_time: createdAt.getTime(), tags: [] },
	};
}

function runView({ run, metrics, params, tags }: tracking.RunData) {
	const { id, name, experimentId, userName, status, startMs, endMs, deletedAt } = run;
	return {
		info: {
			...{ run_id: id, run_uuid: id, run_name: name, experiment_id: String(experimentId), user_id: userName, status, start_time: startMs },
			...{ artifact_uri: artifactUri(run), lifecycle_stage: deletedAt === null ? "active" : "deleted" },
			...(endMs !== null && { end_time: endMs }),
		},
		data: { metrics: metrics.map(metricView), params, tags },
	};
}

function metricView({ key, value, step, atMs }: tracking.RunData["metrics"][number]) {
	return { key, value: Number.isFinite(value) ? value : String(value), step, timestamp: atMs };
}

const point = ({ key, value, step, timestamp }: z.output<typeof inputs.logMetric>) => ({ key, value, step, atMs: timestamp });
const NOTHING = { metrics: [], params: [], tags: [] };
const RESULTS_MAX = 1_000;
/** The tag with the metadata of logged models. */
const MODEL_HISTORY = "mlflow.log-model.history";

/** Supported operations of the tracking API, by method and path below `/api/2.0/mlflow`. `{model_id}` becomes a field of the input. */
export const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
	[
		"POST /experiments/create",
		route(inputs.createExperiment, async (ctx, { name, tags }) => {
			const { id } = await tracking.createExperiment(ctx, name, tags.find(({ key }) => key === "spillway.team")?.value);
			return { experiment_id: String(id) };
		}),
	],
	[
		"GET /experiments/get-by-name",
		route(inputs.experimentByName, async (ctx, { experiment_name }) => {
			const [found] = await tracking.listExperiments(ctx, experiment_name);
			if (!found) throw new SpillwayError("not_found", `There is no experiment ${experiment_name}.`);
			return { experiment: experimentView(found) };
		}),
	],
	[
		"GET /experiments/get",
		route(inputs.experimentById, async (ctx, { experiment_id }) => ({
			experiment: experimentView(await tracking.getExperiment(ctx, experiment_id)),
		})),
	],
	...["GET /experiments/search", "POST /experiments/search"].map((name): [string, Route] => [
		name,
		async (ctx) => ({ experiments: (await tracking.listExperiments(ctx)).map(experimentView) }),
	]),
	[
		"POST /runs/create",
		route(inputs.createRun, async (ctx, { experiment_id, run_name, user_id, start_time, tags }) => {
			const id = randomBytes(16).toString("hex");
			const named = run_name ?? tags.find(({ key }) => key === "mlflow.runName")?.value ?? `run-${id.slice(0, 8)}`;
			const input = {
				id,
				experimentId: experiment_id,
				name: named,
				userName: user_id ?? "",
				startMs: start_time ?? ctx.clock.nowMs(),
				tags,
			};
			return { run: runView(await tracking.createRun(ctx, input)) };
		}),
	],
	[
		"GET /runs/get",
		route(inputs.run, async (ctx, input) => {
			const found = await tracking.getRun(ctx, idOf(input));
			const models = await modelOutputs(ctx, found.run);
			return { run: { ...runView(found), outputs: { model_outputs: models.map(({ id, step }) => ({ model_id: id, step })) } } };
		}),
	],
	[
		"POST /runs/update",
		route(inputs.updateRun, async (ctx, input) => {
			const { status, end_time: endMs, run_name: name } = input;
			const changes = { ...(status && { status }), ...(endMs !== undefined && { endMs }), ...(name && { name }) };
			return { run_info: runView(await tracking.updateRun(ctx, idOf(input), changes)).info };
		}),
	],
	[
		"POST /runs/delete",
		route(inputs.run, async (ctx, input) => {
			await tracking.updateRun(ctx, idOf(input), { deletedAt: new Date(ctx.clock.nowMs()) });
			return {};
		}),
	],
	["POST /runs/log-metric", route(inputs.logMetric, (ctx, input) => log(ctx, input, { ...NOTHING, metrics: [point(input)] }))],
	[
		"POST /runs/log-parameter",
		route(inputs.logParameter, (ctx, input) => log(ctx, input, { ...NOTHING, params: [{ key: input.key, value: input.value }] })),
	],
	[
		"POST /runs/set-tag",
		route(inputs.setTag, (ctx, input) => log(ctx, input, { ...NOTHING, tags: [{ key: input.key, value: input.value }] })),
	],
	[
		"POST /runs/log-batch",
		route(inputs.logBatch, (ctx, input) => log(ctx, input, { metrics: input.metrics.map(point), params: input.params, tags: input.tags })),
	],
	[
		"POST /runs/log-model",
		route(inputs.logModel, async (ctx, input) => {
			await tracking.appendToTag(ctx, idOf(input), MODEL_HISTORY, input.model_json);
			return {};
		}),
	],
	["POST /runs/outputs", route(inputs.logOutputs, logOutputs)],
	["POST /logged-models", route(inputs.createModel, createModel)],
	["GET /logged-models/{model_id}", route(inputs.model, getModel)],
	["PATCH /logged-models/{model_id}", route(inputs.finalizeModel, finalizeModel)],
	["PATCH /logged-models/{model_id}/tags", route(inputs.tagModel, tagModel)],
	["POST /logged-models/{model_id}/params", route(inputs.setModelParams, setModelParams)],
	["GET /logged-models/{model_id}/artifacts/directories", route(inputs.listModelFiles, listModelFiles)],
	[
		"GET /artifacts/list",
		route(inputs.listArtifacts, async (ctx, input) => {
			const { run } = await tracking.getRun(ctx, idOf(input));
			const entries = await listRunArtifacts(ctx, run.id, input.path.replace(/\/$/, ""));
			return { root_uri: artifactUri(run), files: entries.map(fileInfo) };
		}),
	],
	[
		"POST /runs/search",
		route(inputs.searchRuns, async (ctx, { experiment_ids, max_results }) => ({
			runs: (await tracking.searchRuns(ctx, experiment_ids, Math.max(1, Math.min(RESULTS_MAX, max_results)))).map(runView),
		})),
	],
	[
		"GET /metrics/get-history",
		route(inputs.history, async (ctx, input) => ({
			metrics: (await tracking.metricHistory(ctx, idOf(input), input.metric_key)).map(metricView),
		})),
	],
]);

async function log(ctx: ServiceContext, input: Parameters<typeof idOf>[0], batch: tracking.LogBatch): Promise<object> {
	await tracking.logToRun(ctx, idOf(input), batch);
	return {};
}
