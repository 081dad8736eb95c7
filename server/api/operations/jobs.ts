import { z } from "zod";
import { importInput, SUBMIT_BATCH_MAX } from "#server/contract/inputs/job.ts";
import { job } from "#server/contract/job.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { parseJobDocument, parseJobText } from "#server/domain/job-file.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { replayDecision } from "#server/services/decision/explain/replay.ts";
import { explainWaiting } from "#server/services/decision/explain/waiting.ts";
import { askQuote } from "#server/services/decision/quote/ask.ts";
import { receiptOf } from "#server/services/ledger/charge/receipt.ts";
import { type ImportInput, importJob } from "#server/services/work/import/import-job.ts";
import { actOnJobs } from "#server/services/work/job/act-on-jobs.ts";
import { cancelJob } from "#server/services/work/job/cancel.ts";
import { listDecisions } from "#server/services/work/job/decisions.ts";
import { countJobFacets } from "#server/services/work/job/facets.ts";
import { getJob } from "#server/services/work/job/get.ts";
import { readJobGpuUse } from "#server/services/work/job/gpu-use.ts";
import { listJobs } from "#server/services/work/job/list.ts";
import { readLogs } from "#server/services/work/job/logs.ts";
import { resumeJob } from "#server/services/work/job/resume.ts";
import { submitJobs } from "#server/services/work/job/submit.ts";
import { submitJob } from "#server/services/work/job/submit-one.ts";
import { listJobMetrics } from "#server/services/work/metric/list.ts";
import { listForwardedRuns } from "#server/services/work/mlflow/list.ts";
import { readableJob } from "#server/services/work/readable-job.ts";
import { followLogs } from "../http/follow-logs.ts";
import { ok } from "../http/route.ts";
import { bind, bindRest } from "./bind.ts";

/** One job as JSON or YAML text, or `{items: [...], script?}` with up to SUBMIT_BATCH_MAX jobs and their source script. */
function specsOf(body: unknown): { specs: JobSpec[]; batch: boolean; script?: ImportInput } {
	if (typeof body === "string") return { specs: [parseJobText(body)], batch: false };
	if (body === null || typeof body !== "object")
		throw new SpillwayError("invalid_input", "The body must be a job: a JSON object, or YAML with content type application/yaml.");
	if (!("items" in body)) return { specs: [parseJobDocument(body)], batch: false };
	const { items } = body;
	if (!Array.isArray(items) || items.length === 0 || items.length > SUBMIT_BATCH_MAX) {
		throw new SpillwayError("invalid_input", `items must be a list of 1 to ${SUBMIT_BATCH_MAX} jobs.`, {
			fields: [{ path: "items", message: `1 to ${SUBMIT_BATCH_MAX} jobs` }],
		});
	}
	const { script } = z.looseObject({ script: importInput.optional() }).parse(body);
	return { specs: items.map(parseJobDocument), batch: true, ...(script && { script }) };
}

export const jobOperations = {
	create: bindRest(job.create, async (ctx, _, { body }) => {
		const { specs, batch, script } = specsOf(body);
		const [only] = specs;
		if (!batch && only) return ok({ id: await submitJob(ctx, only), state: "queued", name: only.name }, 201);
		const ids = await submitJobs(ctx, specs, script);
		return ok({ items: ids.map((id) => ({ id, state: "queued" })) }, 201);
	}),
	list: bind(job.list, listJobs),
	facets: bind(job.facets, countJobFacets),
	get: bind(job.get, (ctx, { id }) => getJob(ctx, id)),
	cancel: bind(job.cancel, (ctx, { id }) => cancelJob(ctx, id)),
	act: bind(job.act, actOnJobs),
	resume: bind(job.resume, (ctx, { id }) => resumeJob(ctx, id)),
	readLogs: bindRest(job.readLogs, async (ctx, { id, follow, ...page }, request) => {
		if (follow) return followLogs(ctx, id, page, request);
		return ok(await readLogs(ctx, id, page));
	}),
	decisions: bind(job.decisions, (ctx, { id }) => listDecisions(ctx, id)),
	replay: bind(job.replay, (ctx, { id, decision }) => replayDecision(ctx, id, decision)),
	waiting: bind(job.waiting, (ctx, { id }) => explainWaiting(ctx, id)),
	gpuUse: bind(job.gpuUse, (ctx, { id }) => readJobGpuUse(ctx, id)),
	receipt: bind(job.receipt, async (ctx, { id }) => {
		// Another team's job must look missing; the ledger alone would return "forbidden".
		await readableJob(ctx, id);
		return receiptOf(ctx, id);
	}),
	metrics: bind(job.metrics, (ctx, { id }) => listJobMetrics(ctx, id)),
	mlflow: bind(job.mlflow, (ctx, { id }) => listForwardedRuns(ctx, id)),
	quote: bindRest(job.quote, async (ctx, _, { body }) => {
		const { specs } = specsOf(body);
		const [spec] = specs;
		if (!spec || specs.length > 1) throw new SpillwayError("invalid_input", "A quote is for one job.");
		return ok(await askQuote(ctx, spec));
	}),
	importBatchScript: bind(job.importBatchScript, (ctx, input) => importJob(ctx, { kind: "sbatch", ...input })),
	importManifests: bind(job.importManifests, (ctx, input) => importJob(ctx, { kind: "kubernetes", ...input })),
};
