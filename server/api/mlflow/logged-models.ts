import type { z } from "zod";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { changeLoggedModel, createLoggedModel, getLoggedModel, type LoggedModel } from "#server/services/work/metric/logged-model.ts";
import { listRunArtifacts } from "#server/services/work/run-artifact/read.ts";
import { artifactUri, fileInfo } from "./artifacts.ts";
import type { inputs } from "./inputs.ts";

type Call<K extends keyof typeof inputs> = (ctx: ServiceContext, input: z.output<(typeof inputs)[K]>) => Promise<object>;

export const createModel: Call<"createModel"> = async (ctx, { name, source_run_id, model_type, tags, params }) => {
	if (!source_run_id) throw new SpillwayError("invalid_input", "A logged model needs a run.", { fix: "Log it within mlflow.start_run()." });
	return { model: modelView(await createLoggedModel(ctx, source_run_id, { name, type: model_type, tags, params })) };
};

export const getModel: Call<"model"> = async (ctx, { model_id }) => ({ model: modelView(await getLoggedModel(ctx, model_id)) });

export const finalizeModel: Call<"finalizeModel"> = async (ctx, { model_id, status }) => ({
	model: modelView(await changeLoggedModel(ctx, model_id, { status })),
});

export const tagModel: Call<"tagModel"> = async (ctx, { model_id, tags }) => ({
	model: modelView(await changeLoggedModel(ctx, model_id, { tags })),
});

export const setModelParams: Call<"setModelParams"> = async (ctx, { model_id, params }) => {
	await changeLoggedModel(ctx, model_id, { params });
	return {};
};

export const listModelFiles: Call<"listModelFiles"> = async (ctx, { model_id, artifact_directory_path }) => {
	const model = await getLoggedModel(ctx, model_id);
	const entries = await listRunArtifacts(ctx, model.run.id, [model.folder, artifact_directory_path].filter(Boolean).join("/"));
	return { root_uri: uriOf(model), files: entries.map((entry) => fileInfo({ ...entry, path: entry.path.slice(model.folder.length + 1) })) };
};

export const logOutputs: Call<"logOutputs"> = async (ctx, { models }) => {
	for (const { model_id, step } of models) await changeLoggedModel(ctx, model_id, { step });
	return {};
};

function uriOf({ run, folder }: LoggedModel): string {
	return `${artifactUri(run)}/${folder}`;
}

function modelView(model: LoggedModel) {
	const { id, run, name, type, status, createdMs, changedMs, tags, params } = model;
	return {
		info: {
			...{ model_id: id, experiment_id: String(run.experimentId), name, model_type: type, status, source_run_id: run.id, tags },
			...{ creation_timestamp_ms: createdMs, last_updated_timestamp_ms: changedMs, artifact_uri: uriOf(model) },
		},
		data: { params, metrics: [] },
	};
}
