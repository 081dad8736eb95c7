import { z } from "zod";
import type { JobSpec } from "#server/domain/job.ts";
import { jobFileSchema, parseJobDocument, parseJobText } from "#server/domain/job-file.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { replayDecision } from "#server/services/decision/explain/replay.ts";
import { explainWaiting } from "#server/services/decision/explain/waiting.ts";
import { askQuote } from "#server/services/decision/quote/ask.ts";
import { receiptOf } from "#server/services/ledger/charge/receipt.ts";
import { type ImportInput, importInput } from "#server/services/work/import/import-job.ts";
import { cancelJob } from "#server/services/work/job/cancel.ts";
import { listDecisions } from "#server/services/work/job/decisions.ts";
import { getJob } from "#server/services/work/job/get.ts";
import { readJobGpuUse } from "#server/services/work/job/gpu-use.ts";
import { type ListJobsInput, listJobs } from "#server/services/work/job/list.ts";
import { readLogs } from "#server/services/work/job/logs.ts";
import { SUBMIT_BATCH_MAX, submitJobs } from "#server/services/work/job/submit.ts";
import { submitJob } from "#server/services/work/job/submit-one.ts";
import { readableJob } from "#server/services/work/readable-job.ts";
import { followLogs } from "./follow-logs.ts";
import { flagParam, listParam, numberParam, refuseUnknown, textParam } from "./query.ts";
import { ok, type Route } from "./route.ts";

const jobBody = z.union([
	jobFileSchema,
	z.strictObject({ items: z.array(jobFileSchema).max(SUBMIT_BATCH_MAX), script: importInput.optional() }),
]);

/** One job as JSON or YAML text, or `{items: [...], script?}` with up to SUBMIT_BATCH_MAX of them, and what they were read from. */
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

export const jobRoutes: Route[] = [
	{
		method: "POST",
		path: "/jobs",
		summary:
			"Submit a job, or up to 1,000 as {items}: all are taken, or none. With {script}, what was carried over of it is kept with them",
		permission: "job:submit",
		body: jobBody,
		write: true,
		async handle(ctx, { body }) {
			const { specs, batch, script } = specsOf(body);
			const [only] = specs;
			if (!batch && only) return ok({ id: await submitJob(ctx, only), state: "queued", name: only.name }, 201);
			const ids = await submitJobs(ctx, specs, script);
			return ok({ items: ids.map((id) => ({ id, state: "queued" })) }, 201);
		},
	},
	{
		method: "GET",
		path: "/jobs",
		summary: "Jobs, newest first",
		permission: "job:read",
		async handle(ctx, { query }) {
			refuseUnknown(query, ["state", "team", "site", "class", "q", "cursor", "limit"]);
			const input = { state: listParam(query, "state"), team: listParam(query, "team"), class: listParam(query, "class") } as ListJobsInput;
			const site = textParam(query, "site");
			const q = textParam(query, "q");
			const cursor = textParam(query, "cursor");
			const limit = numberParam(query, "limit");
			return ok(
				await listJobs(ctx, {
					...input,
					...(site === undefined ? {} : { site }),
					...(q === undefined ? {} : { q }),
					...(cursor === undefined ? {} : { cursor }),
					...(limit === undefined ? {} : { limit }),
				}),
			);
		},
	},
	{
		method: "GET",
		path: "/jobs/{id}",
		summary: "One job with its attempts, instances and checkpoints",
		permission: "job:read",
		handle: async (ctx, { params }) => ok(await getJob(ctx, params.id ?? "")),
	},
	{
		method: "POST",
		path: "/jobs/{id}/cancel",
		summary: "End a job; one that runs is told to stop and is cancelled when it has",
		permission: "job:cancel",
		write: true,
		handle: async (ctx, { params }) => ok(await cancelJob(ctx, params.id ?? ""), 202),
	},
	{
		method: "GET",
		path: "/jobs/{id}/logs",
		summary: "Log lines of an attempt; with follow as NDJSON until the job has ended",
		permission: "job:read",
		async handle(ctx, request) {
			const { query, params } = request;
			refuseUnknown(query, ["attempt", "after", "tail", "limit", "follow"]);
			const attempt = numberParam(query, "attempt");
			const after = numberParam(query, "after");
			const tail = numberParam(query, "tail");
			const limit = numberParam(query, "limit");
			const page = {
				...(attempt === undefined ? {} : { attempt }),
				...(after === undefined ? {} : { after }),
				...(tail === undefined ? {} : { tail }),
				...(limit === undefined ? {} : { limit }),
			};
			if (flagParam(query, "follow")) return followLogs(ctx, params.id ?? "", page, request);
			return ok(await readLogs(ctx, params.id ?? "", page));
		},
	},
	{
		method: "GET",
		path: "/jobs/{id}/decisions",
		summary: "What was decided for the job, newest first: every place considered, and what removed it",
		permission: "job:read",
		handle: async (ctx, { params }) => ok({ items: await listDecisions(ctx, params.id ?? ""), nextCursor: null }),
	},
	{
		method: "GET",
		path: "/jobs/{id}/replay",
		summary: "Decide a recorded decision again from what was on record then: the newest, or the one named by decision",
		permission: "job:read",
		async handle(ctx, { params, query }) {
			refuseUnknown(query, ["decision"]);
			return ok(await replayDecision(ctx, params.id ?? "", textParam(query, "decision")));
		},
	},
	{
		method: "GET",
		path: "/jobs/{id}/waiting",
		summary: "Why the job waits, decided again, and what would change that",
		permission: "job:read",
		handle: async (ctx, { params }) => ok(await explainWaiting(ctx, params.id ?? "")),
	},
	{
		method: "GET",
		path: "/jobs/{id}/gpu-use",
		summary: "Utilisation and power of the job's GPUs in the cloud, as its machines measured them",
		permission: "job:read",
		handle: async (ctx, { params }) => ok(await readJobGpuUse(ctx, params.id ?? "")),
	},
	{
		method: "GET",
		path: "/jobs/{id}/receipt",
		summary: "What the job cost, by attempt and line",
		permission: "job:read",
		async handle(ctx, { params }) {
			// A job of somebody else's team is not told to exist; the ledger alone would say "forbidden".
			const { id } = await readableJob(ctx, params.id ?? "");
			return ok(await receiptOf(ctx, id));
		},
	},
	{
		method: "POST",
		path: "/quotes",
		summary: "What a job would meet if it were submitted now; nothing is written",
		permission: "quote:ask",
		body: jobFileSchema,
		async handle(ctx, { body }) {
			const { specs } = specsOf(body);
			const [spec] = specs;
			if (!spec || specs.length > 1) throw new SpillwayError("invalid_input", "A quote is for one job.");
			return ok(await askQuote(ctx, spec));
		},
	},
];
