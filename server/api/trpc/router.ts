import { z } from "zod";
import { importUploadedBillInput } from "#server/contract/inputs/bill.ts";
import { dataSetsInput } from "#server/contract/inputs/data-set.ts";
import { importInput, readLogsInput, SUBMIT_BATCH_MAX } from "#server/contract/inputs/job.ts";
import { jobSpendInput, listChargesInput, spendInCurrencyInput, varianceInput } from "#server/contract/inputs/spend.ts";
import { getStatementInput } from "#server/contract/inputs/statement.ts";
import { uploadPartInput } from "#server/contract/inputs/upload.ts";
import { instantMs } from "#server/contract/parts.ts";
import { parseJobDocument, parseJobText } from "#server/domain/job-file.ts";
import { setDataSets } from "#server/services/capacity/data-set/set.ts";
import { addUploadPart } from "#server/services/core/upload.ts";
import { prepareBacktest } from "#server/services/decision/backtest/prepare.ts";
import { askQuote } from "#server/services/decision/quote/ask.ts";
import { importUploadedBill } from "#server/services/ledger/bill/import-uploaded.ts";
import { listEvents } from "#server/services/notification/event/list.ts";
import { annotationsInput, listAnnotations } from "#server/services/overview/annotations.ts";
import { demandInput, readDemand } from "#server/services/overview/demand.ts";
import { overviewSummary } from "#server/services/overview/summary.ts";
import { carbonPage, carbonPageInput } from "#server/services/reporting/carbon/page.ts";
import { carbonVariance } from "#server/services/reporting/carbon/variance.ts";
import { performancePage, performancePageInput } from "#server/services/reporting/performance/page.ts";
import { spendByJob } from "#server/services/reporting/spend/by-job.ts";
import { listCharges } from "#server/services/reporting/spend/charges.ts";
import { spendOptions, spendOptionsInput } from "#server/services/reporting/spend/options.ts";
import { spendPage, spendPageInput } from "#server/services/reporting/spend/page.ts";
import { spendInCurrency } from "#server/services/reporting/spend/spend-in-currency.ts";
import { spendVariance } from "#server/services/reporting/spend/variance.ts";
import { ledgerZone } from "#server/services/reporting/spend/zone.ts";
import { changeClosingDay, changeClosingDayInput } from "#server/services/reporting/statement/closing-day.ts";
import { noteInput, noteVariance } from "#server/services/reporting/statement/note.ts";
import { previewStatement } from "#server/services/reporting/statement/preview.ts";
import { runtime } from "#server/services/runtime.ts";
import { importJob } from "#server/services/work/import/import-job.ts";
import { countJobs } from "#server/services/work/job/list.ts";
import { readLogs } from "#server/services/work/job/logs.ts";
import { submitJobs } from "#server/services/work/job/submit.ts";
import { submitJob } from "#server/services/work/job/submit-one.ts";
import { notificationOperations, setupOperations, tokenOperations } from "../operations/accounts.ts";
import { artifactOperations } from "../operations/artifacts.ts";
import { backtestOperations } from "../operations/backtests.ts";
import { billOperations, statementOperations } from "../operations/books.ts";
import { alertOperations, channelOperations } from "../operations/budgets.ts";
import { forecastOperations, instanceOperations, offerOperations } from "../operations/capacity.ts";
import { currencyOperations } from "../operations/currency.ts";
import { groupMappingOperations } from "../operations/group-mappings.ts";
import { jobOperations } from "../operations/jobs.ts";
import { pipelineOperations } from "../operations/pipelines.ts";
import { planOperations } from "../operations/plans.ts";
import { dataSetOperations } from "../operations/rates.ts";
import { roleOperations } from "../operations/roles.ts";
import { searchOperations } from "../operations/search.ts";
import { secretOperations } from "../operations/secrets.ts";
import { spendOperations } from "../operations/spend.ts";
import { storeOperations } from "../operations/stores.ts";
import { templateOperations } from "../operations/templates.ts";
import { triggerOperations } from "../operations/triggers.ts";
import { viewOperations } from "../operations/views.ts";
import { accountRouter, deviceLoginRouter, teamRouter } from "./account-router.ts";
import { approvalRouter } from "./approval-router.ts";
import { auditRouter } from "./audit-router.ts";
import { shadowRouter } from "./backtest-router.ts";
import { budgetRouter } from "./budget-router.ts";
import { procedure, router } from "./init.ts";
import { policyRouter } from "./policy-router.ts";
import { proceduresOf } from "./procedures.ts";
import { ratesRouter } from "./rates-router.ts";
import { siteRouter } from "./site-router.ts";

const id = z.string().min(1).max(64);
/** Either the text of a job file or the parsed document. */
const jobInput = z.union([z.strictObject({ text: z.string() }), z.strictObject({ document: z.unknown() })]);
/** The parsed script; its findings are kept with the job. */
const read = { script: importInput.optional() };
const submitInput = z.union([z.strictObject({ text: z.string(), ...read }), z.strictObject({ document: z.unknown(), ...read })]);
const specOf = (input: z.infer<typeof jobInput>) => ("text" in input ? parseJobText(input.text) : parseJobDocument(input.document));

export const appRouter = router({
	me: procedure.query(({ ctx }) => ctx.actor),
	overview: router({
		summary: procedure.query(({ ctx }) => overviewSummary(ctx.service)),
		annotations: procedure.input(annotationsInput).query(({ ctx, input }) => listAnnotations(ctx.service, input)),
		demand: procedure.input(demandInput).query(({ ctx, input }) => readDemand(ctx.service, input)),
		events: procedure
			.input(z.strictObject({ limit: z.number().int().min(1).max(200).default(20) }))
			.query(({ ctx, input }) => listEvents(ctx.service, input)),
	}),
	job: router({
		...proceduresOf(jobOperations),
		counts: procedure.query(({ ctx }) => countJobs(ctx.service)),
		events: procedure.input(z.strictObject({ id })).query(({ ctx, input }) => listEvents(ctx.service, { jobId: input.id, limit: 100 })),
		logs: procedure
			.input(z.strictObject({ id, page: readLogsInput }))
			.query(({ ctx, input }) => readLogs(ctx.service, input.id, input.page)),
		submit: procedure.input(submitInput).mutation(async ({ ctx, input }) => {
			return { id: await submitJob(ctx.service, specOf(input), input.script) };
		}),
		/** All of them, or none. */
		submitAll: procedure
			.input(z.strictObject({ documents: z.array(z.unknown()).min(1).max(SUBMIT_BATCH_MAX), ...read }))
			.mutation(async ({ ctx, input: { documents, script } }) => ({
				ids: await submitJobs(ctx.service, documents.map(parseJobDocument), script),
			})),
		import: procedure.input(importInput).query(({ ctx, input }) => importJob(ctx.service, input)),
	}),
	view: router(proceduresOf(viewOperations)),
	forecast: router(proceduresOf(forecastOperations)),
	quote: procedure.input(jobInput).query(({ ctx, input }) => askQuote(ctx.service, specOf(input))),
	instance: router(proceduresOf(instanceOperations)),
	site: siteRouter,
	offer: router(proceduresOf(offerOperations)),
	policy: policyRouter,
	backtest: router({
		...proceduresOf(backtestOperations),
		prepare: procedure.mutation(({ ctx }) => prepareBacktest(ctx.service)),
	}),
	shadow: shadowRouter,
	plan: router({
		...proceduresOf(planOperations),
		uploadPart: procedure.input(uploadPartInput).mutation(({ ctx, input }) => addUploadPart(ctx.service, "plan:run", input)),
	}),
	budget: budgetRouter,
	approval: approvalRouter,
	alert: router(proceduresOf(alertOperations)),
	audit: auditRouter,
	channel: router(proceduresOf(channelOperations)),
	rates: ratesRouter,
	dataSet: router({
		...proceduresOf(dataSetOperations),
		/** The lists are replaced only if the new ones are based on `seen`. */
		set: procedure
			.input(z.strictObject({ next: dataSetsInput, seen: dataSetsInput }))
			.mutation(({ ctx, input }) => setDataSets(ctx.service, input.next, input.seen)),
	}),
	currency: router(proceduresOf(currencyOperations)),
	carbon: router({
		page: procedure.input(carbonPageInput).query(({ ctx, input }) => carbonPage(ctx.service, input)),
		variance: procedure.input(varianceInput).query(({ ctx, input }) => carbonVariance(ctx.service, input)),
	}),
	performance: router({
		page: procedure.input(performancePageInput).query(({ ctx, input }) => performancePage(ctx.service, input)),
	}),
	artifact: router(proceduresOf(artifactOperations)),
	store: router(proceduresOf(storeOperations)),
	pipeline: router(proceduresOf(pipelineOperations)),
	trigger: router(proceduresOf(triggerOperations)),
	template: router(proceduresOf(templateOperations)),
	spend: router({
		...proceduresOf(spendOperations),
		page: procedure.input(spendPageInput).query(({ ctx, input }) => spendPage(ctx.service, input)),
		variance: procedure.input(varianceInput).query(({ ctx, input }) => spendVariance(ctx.service, input)),
		jobs: procedure.input(jobSpendInput).query(({ ctx, input }) => spendByJob(ctx.service, input)),
		inCurrency: procedure.input(spendInCurrencyInput).query(async ({ ctx, input }) => {
			const spend = await spendInCurrency(ctx.service, input);
			return "rates" in spend ? spend : null;
		}),
		options: procedure.input(spendOptionsInput).query(({ ctx, input }) => spendOptions(ctx.service, input)),
		calendar: procedure.query(({ ctx }) => ledgerZone(ctx.service)),
		charges: procedure.input(listChargesInput).query(({ ctx, input }) => listCharges(ctx.service, input)),
	}),
	statement: router({
		...proceduresOf(statementOperations),
		preview: procedure
			.input(getStatementInput.pick({ month: true, team: true }))
			.query(({ ctx, input }) => previewStatement(ctx.service, input)),
		note: procedure.input(noteInput).mutation(({ ctx, input }) => noteVariance(ctx.service, input)),
		changeClosingDay: procedure.input(changeClosingDayInput).mutation(({ ctx, input }) => changeClosingDay(ctx.service, input)),
	}),
	bill: router({
		...proceduresOf(billOperations),
		uploadPart: procedure.input(uploadPartInput).mutation(({ ctx, input }) => addUploadPart(ctx.service, "bill:import", input)),
		importFile: procedure.input(importUploadedBillInput).mutation(({ ctx, input }) => importUploadedBill(ctx.service, input)),
	}),
	search: router(proceduresOf(searchOperations)),
	secret: router(proceduresOf(secretOperations)),
	notification: router(proceduresOf(notificationOperations)),
	token: router(proceduresOf(tokenOperations)),
	account: accountRouter,
	team: teamRouter,
	role: router(proceduresOf(roleOperations)),
	groupMapping: router(proceduresOf(groupMappingOperations)),
	setup: router(proceduresOf(setupOperations)),
	deviceLogin: deviceLoginRouter,
	/** Batches of changes since the page was rendered; the browser reloads the affected data. */
	changes: procedure.input(z.strictObject({ sinceMs: instantMs })).subscription(({ ctx, input, signal }) => {
		const rt = runtime();
		return rt.changes.subscribe(ctx.actor, signal ?? rt.shutdown.signal, input.sinceMs);
	}),
});

export type AppRouter = typeof appRouter;
