import { and, asc, eq, gt, max, sql } from "drizzle-orm";
import type { z } from "zod";
import { listRunsInput } from "#server/contract/inputs/pipeline.ts";
import type { pipelineQuoteSchema } from "#server/contract/pipeline.ts";
import { job } from "#server/db/schema/job.ts";
import { type pipeline, pipelineHold, pipelineRun } from "#server/db/schema/pipeline.ts";
import type { Placement } from "#server/domain/capacity.ts";
import type { Scalar } from "#server/domain/pipeline/pipeline.ts";
import type { StopRule } from "#server/domain/pipeline/stop-rule.ts";
import type { JobState, StepState } from "#server/domain/states.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { iso, type ReasonView, reasonView } from "#server/services/core/view.ts";
import { readTemplateOrigin, type TemplateOrigin } from "../template-origin.ts";
import { NO_COUNTS } from "./counts.ts";
import { readablePipeline } from "./readable.ts";
import { NO_COST, type PipelineCost, type PipelineView, pipelineView } from "./view.ts";

type PipelineRow = Pick<typeof pipeline.$inferSelect, "templateId" | "templateVersion">;

/** The quote as shown and stored. */
type PipelineQuoteView = z.output<typeof pipelineQuoteSchema>;

/** A declared step with the state of its runs. Amounts include every try. */
export interface StepView {
	name: string;
	/** Names of the steps it depends on. */
	needs: string[];
	when: string | null;
	retry: number;
	runs: number;
	counts: Record<StepState, number>;
	/** Runs that have a GPU now; the other submitted ones are pending. */
	running: number;
	startedAt: string | null;
	finishedAt: string | null;
	costMicroUsd: string;
	emissionsGrams: number;
	/** Why it was skipped. */
	why: string | null;
	/** Expected run time of one run, ms. */
	expectedRunMs: number;
}

export interface PipelineDetail extends PipelineView {
	labels: Record<string, string>;
	parameters: Record<string, Scalar>;
	parallel: number | null;
	/** The quote at submission. */
	quote: PipelineQuoteView | null;
	/** The trigger that started it. */
	triggerId: string | null;
	/** The template that it was run from, by its present name. */
	template: TemplateOrigin | null;
	stop: StopRule | null;
	/** Amount still held in budgets for future runs; the largest of all budgets. */
	reservedMicroUsd: string;
	stepList: StepView[];
}

interface StepSums {
	[key: string]: unknown;
	step: number;
	state: StepState;
	runs: number;
	running: number;
	started: Date | string | null;
	finished: Date | string | null;
	why: string | null;
}

/**
 * A pipeline with its steps. Cost: two grouped queries and at most two rows, however many runs.
 * @throws SpillwayError `forbidden`; `not_found`, also for another team's pipeline
 */
export async function getPipeline(ctx: ServiceContext, id: string): Promise<PipelineDetail> {
	const row = await readablePipeline(ctx, ctx.db, id);
	const [sums, costs, reserved, template] = await Promise.all([
		...([readSums(ctx, id), readStepCosts(ctx, id), readReserved(ctx, id), templateOf(ctx, row)] as const),
	]);
	const total = [...costs.values()].reduce((sum, cost) => plus(sum, cost), NO_COST);
	const byStep = Map.groupBy(sums, ({ step }) => step);
	return {
		...pipelineView(row, total),
		...{ labels: row.labels, parameters: row.parameters, parallel: row.parallel, quote: row.quote as PipelineQuoteView | null },
		...{ triggerId: row.triggerId, template, stop: row.stop, reservedMicroUsd: reserved },
		stepList: row.graph.map((step, position) => {
			const own = byStep.get(position) ?? [];
			const cost = costs.get(position) ?? NO_COST;
			const counts = { ...NO_COUNTS, ...Object.fromEntries(own.map(({ state, runs }) => [state, runs])) };
			const isOver = counts.waiting + counts.submitted === 0;
			return {
				...{ name: step.name, needs: step.needs.map((need) => row.graph[need]?.name ?? ""), when: step.when, retry: step.retry },
				runs: own.reduce((sum, { runs }) => sum + runs, 0),
				counts,
				running: own.reduce((sum, { running }) => sum + running, 0),
				startedAt: extreme(
					own.map(({ started }) => started),
					Math.min,
				),
				finishedAt: isOver
					? extreme(
							own.map(({ finished }) => finished),
							Math.max,
						)
					: null,
				...{ costMicroUsd: cost.costMicroUsd.toString(), emissionsGrams: Number(cost.emissionsMilligrams) / 1_000 },
				...{ why: own.find(({ why }) => why !== null)?.why ?? null, expectedRunMs: step.runMs },
			};
		}),
	};
}

function templateOf({ db }: ServiceContext, { templateId, templateVersion }: PipelineRow): Promise<TemplateOrigin | null> | null {
	return templateId === null || templateVersion === null ? null : readTemplateOrigin(db, templateId, templateVersion);
}

async function readReserved({ db }: ServiceContext, id: string): Promise<string> {
	const [row] = await db
		.select({ most: max(pipelineHold.leftMicroUsd) })
		.from(pipelineHold)
		.where(eq(pipelineHold.pipelineId, id));
	return String(row?.most ?? 0n);
}

function plus(a: PipelineCost, b: PipelineCost): PipelineCost {
	return { costMicroUsd: a.costMicroUsd + b.costMicroUsd, emissionsMilligrams: a.emissionsMilligrams + b.emissionsMilligrams };
}

function extreme(times: readonly (Date | string | null)[], pick: (...ms: number[]) => number): string | null {
	const known = times.flatMap((time) => (time === null ? [] : [new Date(time).getTime()]));
	return known.length === 0 ? null : new Date(pick(...known)).toISOString();
}

async function readSums({ db }: ServiceContext, id: string): Promise<StepSums[]> {
	return db.execute<StepSums>(sql`
		select r.step, r.state, count(*)::int as runs, (count(*) filter (where r.state = 'submitted' and j.state = 'running'))::int as running,
			min(j.started_at) as started, max(r.finished_at) as finished, min(r.why) as why
		from pipeline_run r left join job j on j.id = r.job_id where r.pipeline_id = ${id} group by r.step, r.state order by r.step`);
}

async function readStepCosts({ db }: ServiceContext, id: string): Promise<Map<number, PipelineCost>> {
	const rows = await db.execute<{ step: number; cost: string; emissions: string }>(sql`
		select r.step, sum(job.cost_micro_usd)::text as cost, sum(job.emissions_milligrams)::text as emissions
		from pipeline_job p join pipeline_run r on r.pipeline_id = p.pipeline_id and r.index = p.run join job on job.id = p.job_id
		where p.pipeline_id = ${id} group by r.step`);
	return new Map(rows.map(({ step, cost, emissions }) => [step, { costMicroUsd: BigInt(cost), emissionsMilligrams: BigInt(emissions) }]));
}

export interface RunView {
	index: number;
	name: string;
	step: string;
	values: Record<string, Scalar>;
	state: StepState;
	/** Its newest job; null while it waits. */
	job: { id: string; state: JobState; reason: ReasonView; placement: Placement | null } | null;
	tries: number;
	exitCode: number | null;
	why: string | null;
	startedAt: string | null;
	finishedAt: string | null;
	/** Cost of its newest job. */
	costMicroUsd: string;
}

/** Runs of a pipeline, in order, by keyset. Cost: one range scan of at most `limit` + 1 rows, with their jobs. */
export async function listRuns(
	ctx: ServiceContext,
	raw: z.input<typeof listRunsInput>,
): Promise<{ items: RunView[]; next: number | null }> {
	const input = listRunsInput.parse(raw);
	const row = await readablePipeline(ctx, ctx.db, input.id);
	const position = row.graph.findIndex(({ name }) => name === input.step);
	const rows = await ctx.db
		.select({
			run: pipelineRun,
			job: { id: job.id, state: job.state, reason: job.reason, placement: job.placement, startedAt: job.startedAt, cost: job.costMicroUsd },
		})
		.from(pipelineRun)
		.leftJoin(job, eq(job.id, pipelineRun.jobId))
		.where(
			and(
				eq(pipelineRun.pipelineId, input.id),
				gt(pipelineRun.index, input.after),
				input.step === undefined ? undefined : eq(pipelineRun.step, position),
			),
		)
		.orderBy(asc(pipelineRun.index))
		.limit(input.limit + 1);
	const page = rows.slice(0, input.limit);
	return {
		items: page.map(({ run, job: own }) => ({
			...{ index: run.index, name: run.name, step: row.graph[run.step]?.name ?? "", values: run.values, state: run.state },
			job: own && { id: own.id, state: own.state, reason: reasonView(own.reason), placement: own.placement },
			...{ tries: run.tries, exitCode: run.exitCode, why: run.why },
			...{ startedAt: iso(own?.startedAt ?? null), finishedAt: iso(run.finishedAt), costMicroUsd: (own?.cost ?? 0n).toString() },
		})),
		next: rows.length > input.limit ? (page.at(-1)?.run.index ?? null) : null,
	};
}
