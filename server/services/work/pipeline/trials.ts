import { sql } from "drizzle-orm";
import type { z } from "zod";
import { listTrialsInput } from "#server/contract/inputs/pipeline.ts";
import type { Scalar } from "#server/domain/pipeline/pipeline.ts";
import type { StepState } from "#server/domain/states.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { readablePipeline } from "./readable.ts";

export interface TrialView {
	index: number;
	name: string;
	values: Record<string, Scalar>;
	state: StepState;
	jobId: string | null;
	/** Best and last value of the metric; null before the first. */
	best: number | null;
	last: number | null;
	lastStep: number | null;
	costMicroUsd: string;
	/** Why it was stopped early. */
	why: string | null;
}

export interface TrialsView {
	/** The metric used for comparison; null when no trial reported any. */
	metric: string | null;
	goal: "minimize" | "maximize";
	/** Names of all metrics that trials reported. */
	metrics: string[];
	/** Index of the best trial so far. */
	best: number | null;
	items: TrialView[];
}

/** Maximum trials per answer. */
const TRIALS_MAX = 2_000;

/**
 * The trials of a sweep with their values, metric and cost. Defaults to the sweep's own metric, then to the first reported one with lower
 * values ranked better. Cost: one range scan over the points of the trials.
 * @throws SpillwayError `forbidden`; `not_found`, also for another team's sweep
 */
export async function listTrials(ctx: ServiceContext, raw: z.input<typeof listTrialsInput>): Promise<TrialsView> {
	const { id, metric: asked } = listTrialsInput.parse(raw);
	const row = await readablePipeline(ctx, ctx.db, id);
	const metrics = await readMetricNames(ctx, id);
	const metric = asked ?? row.stop?.metric ?? metrics[0] ?? null;
	const goal = row.stop?.metric === metric ? (row.stop?.goal ?? "minimize") : "minimize";
	const rows = await ctx.db.execute<TrialRow>(sql`
		select r.index, r.name, r.values, r.state, r.job_id as "jobId", c.cost::text as cost,
			coalesce(r.why, case when r.state <> 'succeeded' then r.stop_why end) as why, m.low, m.high, m.last, m.step::text as step
		from pipeline_run r
		left join lateral (select sum(j.cost_micro_usd) as cost from pipeline_job p join job j on j.id = p.job_id
			where p.pipeline_id = r.pipeline_id and p.run = r.index) c on true
		left join lateral (
			select min(value) as low, max(value) as high, (array_agg(value order by step desc, at_ms desc))[1] as last, max(step) as step
			from metric_point where key = ${metric ?? ""} and value not in ('NaN', 'Infinity', '-Infinity')
				and run_id in (select r.job_id union all select t.id from tracking_run t where t.job_id = r.job_id)) m on true
		where r.pipeline_id = ${id} order by r.index limit ${TRIALS_MAX}`);
	const items = rows.map(
		(trial): TrialView => ({
			...{ index: trial.index, name: trial.name, values: trial.values, state: trial.state, jobId: trial.jobId, why: trial.why },
			...{
				best: goal === "minimize" ? trial.low : trial.high,
				last: trial.last,
				lastStep: trial.step === null ? null : Number(trial.step),
			},
			costMicroUsd: trial.cost ?? "0",
		}),
	);
	return { metric, goal, metrics, best: bestOf(items, goal), items };
}

interface TrialRow extends Record<string, unknown> {
	index: number;
	name: string;
	values: Record<string, Scalar>;
	state: StepState;
	jobId: string | null;
	why: string | null;
	cost: string | null;
	low: number | null;
	high: number | null;
	last: number | null;
	step: string | null;
}

function bestOf(items: readonly TrialView[], goal: TrialsView["goal"]): number | null {
	const sign = goal === "minimize" ? 1 : -1;
	let found: TrialView | null = null;
	for (const trial of items) if (trial.best !== null && (found?.best == null || sign * trial.best < sign * found.best)) found = trial;
	return found?.index ?? null;
}

async function readMetricNames({ db }: ServiceContext, id: string): Promise<string[]> {
	const rows = await db.execute<{ key: string }>(sql`
		select distinct m.key from pipeline_run r
		left join tracking_run t on t.job_id = r.job_id
		join metric_point m on m.run_id in (r.job_id, t.id) where r.pipeline_id = ${id} order by m.key limit 100`);
	return rows.map(({ key }) => key);
}
