import { z } from "zod";
import { parseJobDocument, parseJobText } from "#server/domain/job-file.ts";
import { listTeams } from "#server/services/account/teams.ts";
import { listBudgets } from "#server/services/budget/list.ts";
import { listEvents } from "#server/services/event/list.ts";
import { readForecastScore } from "#server/services/forecast/score.ts";
import { listInstances, listInstancesInput } from "#server/services/instance/list.ts";
import { cancelJob } from "#server/services/job/cancel.ts";
import { listDecisions } from "#server/services/job/decisions.ts";
import { getJob } from "#server/services/job/get.ts";
import { countJobs, listJobs, listJobsInput } from "#server/services/job/list.ts";
import { readLogs, readLogsInput } from "#server/services/job/logs.ts";
import { submitJob } from "#server/services/job/submit-one.ts";
import { receiptOf } from "#server/services/ledger/receipt.ts";
import { offersInput, viewOffers } from "#server/services/offer/view.ts";
import { demandInput, readDemand } from "#server/services/overview/demand.ts";
import { overviewSummary } from "#server/services/overview/summary.ts";
import { viewPolicy } from "#server/services/policy/view.ts";
import { askQuote } from "#server/services/quote/ask.ts";
import { runtime } from "#server/services/runtime.ts";
import { listSites } from "#server/services/site/list.ts";
import { spendPage, spendPageInput } from "#server/services/spend/page.ts";
import { procedure, router } from "./init.ts";

const id = z.string().min(1).max(64);
/** Either the text of a job file or the parsed document. */
const jobInput = z.union([z.strictObject({ text: z.string() }), z.strictObject({ document: z.unknown() })]);
const specOf = (input: z.infer<typeof jobInput>) => ("text" in input ? parseJobText(input.text) : parseJobDocument(input.document));

export const appRouter = router({
	me: procedure.query(({ ctx }) => ctx.actor),
	overview: router({
		summary: procedure.query(({ ctx }) => overviewSummary(ctx.service)),
		demand: procedure.input(demandInput).query(({ ctx, input }) => readDemand(ctx.service, input)),
		events: procedure
			.input(z.strictObject({ limit: z.number().int().min(1).max(200).default(20) }))
			.query(({ ctx, input }) => listEvents(ctx.service, input)),
	}),
	job: router({
		list: procedure.input(listJobsInput).query(({ ctx, input }) => listJobs(ctx.service, input)),
		counts: procedure.query(({ ctx }) => countJobs(ctx.service)),
		get: procedure.input(z.strictObject({ id })).query(({ ctx, input }) => getJob(ctx.service, input.id)),
		decisions: procedure.input(z.strictObject({ id })).query(({ ctx, input }) => listDecisions(ctx.service, input.id)),
		receipt: procedure.input(z.strictObject({ id })).query(({ ctx, input }) => receiptOf(ctx.service, input.id)),
		events: procedure.input(z.strictObject({ id })).query(({ ctx, input }) => listEvents(ctx.service, { jobId: input.id, limit: 100 })),
		logs: procedure
			.input(z.strictObject({ id, page: readLogsInput }))
			.query(({ ctx, input }) => readLogs(ctx.service, input.id, input.page)),
		submit: procedure.input(jobInput).mutation(async ({ ctx, input }) => {
			return { id: await submitJob(ctx.service, specOf(input)) };
		}),
		cancel: procedure.input(z.strictObject({ id })).mutation(({ ctx, input }) => cancelJob(ctx.service, input.id)),
	}),
	forecast: router({ score: procedure.query(({ ctx }) => readForecastScore(ctx.service)) }),
	quote: procedure.input(jobInput).query(({ ctx, input }) => askQuote(ctx.service, specOf(input))),
	instance: router({ list: procedure.input(listInstancesInput).query(({ ctx, input }) => listInstances(ctx.service, input)) }),
	site: router({ list: procedure.query(({ ctx }) => listSites(ctx.service)) }),
	offer: router({ list: procedure.input(offersInput).query(({ ctx, input }) => viewOffers(ctx.service, input)) }),
	policy: router({ get: procedure.input(z.strictObject({ name: id })).query(({ ctx, input }) => viewPolicy(ctx.service, input.name)) }),
	budget: router({ list: procedure.query(({ ctx }) => listBudgets(ctx.service)) }),
	spend: router({ page: procedure.input(spendPageInput).query(({ ctx, input }) => spendPage(ctx.service, input)) }),
	team: router({ list: procedure.query(({ ctx }) => listTeams(ctx.service)) }),
	/** Batches of what changed; the browser reads again what it shows of that. */
	changes: procedure.subscription(async function* ({ ctx, signal }) {
		const rt = runtime();
		yield* rt.changes.subscribe(ctx.actor, signal ?? rt.shutdown.signal);
	}),
});

export type AppRouter = typeof appRouter;
