import { pipeline } from "#server/contract/pipeline.ts";
import { importWorkflows } from "#server/services/decision/pipeline/import.ts";
import { quotePipeline } from "#server/services/decision/pipeline/quote.ts";
import { submitPipeline } from "#server/services/decision/pipeline/submit.ts";
import { cancelPipeline } from "#server/services/work/pipeline/cancel.ts";
import { getPipeline, listRuns } from "#server/services/work/pipeline/get.ts";
import { listPipelines } from "#server/services/work/pipeline/list.ts";
import { readablePipeline } from "#server/services/work/pipeline/readable.ts";
import { retryPipeline } from "#server/services/work/pipeline/retry.ts";
import { listTrials } from "#server/services/work/pipeline/trials.ts";
import { bind } from "./bind.ts";

export const pipelineOperations = {
	create: bind(pipeline.create, submitPipeline),
	quote: bind(pipeline.quote, quotePipeline),
	list: bind(pipeline.list, listPipelines),
	get: bind(pipeline.get, (ctx, { id }) => getPipeline(ctx, id)),
	runs: bind(pipeline.runs, listRuns),
	trials: bind(pipeline.trials, (ctx, input) => listTrials(ctx, input)),
	importWorkflows: bind(pipeline.importWorkflows, importWorkflows),
	cancel: bind(pipeline.cancel, (ctx, { id }) => cancelPipeline(ctx, id)),
	retry: bind(pipeline.retry, async (ctx, { id, ...input }) => {
		await readablePipeline(ctx, ctx.db, id);
		return retryPipeline(ctx, id, input);
	}),
};
