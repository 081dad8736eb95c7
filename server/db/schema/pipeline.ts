import { sql } from "drizzle-orm";
import { bigint, check, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { JobSpec } from "../../domain/job.ts";
import type { GraphStep } from "../../domain/pipeline/advance.ts";
import type { PipelineKind, Scalar, StepInput } from "../../domain/pipeline/pipeline.ts";
import type { StopRule } from "../../domain/pipeline/stop-rule.ts";
import { PIPELINE_STATES, STEP_STATES, type StepState } from "../../domain/states.ts";
import { instant, json, microUsd } from "./columns.ts";
import { job } from "./job.ts";

/** A declared step, kept with its pipeline: there are as many as people wrote. */
export interface StoredStep extends GraphStep {
	inputs: StepInput[];
	/** Expected run time of one run, and of the longest way from its end to the pipeline's, ms. */
	runMs: number;
	restMs: number;
	/** P90 minus median of the step, and summed over that way. Absent: not known. */
	spreadMs?: number;
	restSpreadMs?: number;
	/** Most that one run may spend in clouds, retries included, micro-dollars as text. Absent: 0. */
	maximumMicroUsd?: string;
}

export const pipeline = pgTable(
	"pipeline",
	{
		id: text().primaryKey(),
		kind: text().$type<PipelineKind>().notNull(),
		name: text().notNull(),
		team: text().notNull(),
		project: text().notNull().default(""),
		labels: json<Record<string, string>>().notNull(),
		parameters: json<Record<string, Scalar>>().notNull(),
		/** Steps in topological order. */
		graph: json<StoredStep[]>().notNull(),
		/** The file as it was submitted; null before it was kept. */
		source: text(),
		/** The quote at submission, as it was shown. */
		quote: json<unknown>(),
		state: text({ enum: PIPELINE_STATES }).notNull().default("running"),
		/** Runs, and runs by state; kept in the transaction that moves them. */
		runs: integer().notNull(),
		counts: json<Record<StepState, number>>().notNull(),
		/** Runs at a time; null: no limit. */
		parallel: integer(),
		deadlineAt: instant(),
		/** The most that all jobs together may spend in clouds. */
		budgetMicroUsd: microUsd(),
		submittedBy: text().notNull(),
		submittedAt: instant().notNull(),
		finishedAt: instant(),
		cancelRequestedBy: text(),
		/** When trials are stopped early; null: never. */
		stop: json<StopRule>(),
		/** The trigger that started it. */
		triggerId: text(),
	},
	(t) => [
		index("pipeline_live").on(t.id).where(sql`${t.state} in ('running','cancelling')`),
		index("pipeline_submitted").on(t.submittedAt.desc().nullsFirst(), t.id.desc().nullsFirst()),
		index("pipeline_team_submitted").on(t.team, t.submittedAt.desc().nullsFirst(), t.id.desc().nullsFirst()),
		check("pipeline_finished_iff_final", sql`(${t.state} in ('succeeded','failed','cancelled')) = (${t.finishedAt} is not null)`),
		check("pipeline_runs_positive", sql`${t.runs} > 0`),
	],
);

/** One run of a step: what becomes a job. */
export const pipelineRun = pgTable(
	"pipeline_run",
	{
		pipelineId: text()
			.notNull()
			.references(() => pipeline.id),
		/** Position among all runs, in the order of their steps. */
		index: integer().notNull(),
		/** Position of its step in the pipeline's graph. */
		step: integer().notNull(),
		name: text().notNull(),
		values: json<Record<string, Scalar>>().notNull(),
		spec: json<JobSpec>().notNull(),
		state: text({ enum: STEP_STATES }).notNull().default("waiting"),
		/** Its newest job. */
		jobId: text().references(() => job.id),
		/** Jobs since a person last retried it. */
		tries: integer().notNull().default(0),
		exitCode: integer(),
		/** Why it was skipped. */
		why: text(),
		/** Why its job was cancelled before its end: it then counts as skipped. */
		stopWhy: text(),
		finishedAt: instant(),
	},
	(t) => [
		primaryKey({ columns: [t.pipelineId, t.index] }),
		index("pipeline_run_live").on(t.jobId).where(sql`${t.state} = 'submitted'`),
		check("pipeline_run_submitted_has_job", sql`${t.state} <> 'submitted' or ${t.jobId} is not null`),
	],
);

/**
 * What a pipeline has reserved in a budget for jobs that are still to come. It is part of budget_period.held_micro_usd, like the holds
 * of instances: a placement turns it into such a hold, and what a hold leaves over returns here while the pipeline lives.
 */
export const pipelineHold = pgTable(
	"pipeline_hold",
	{
		pipelineId: text()
			.notNull()
			.references(() => pipeline.id),
		budgetId: text().notNull(),
		periodKey: text().notNull(),
		leftMicroUsd: microUsd().notNull(),
	},
	(t) => [primaryKey({ columns: [t.pipelineId, t.budgetId] }), check("pipeline_hold_not_negative", sql`${t.leftMicroUsd} >= 0`)],
);

/** Every job that was made for a run: costs of earlier tries count too. */
export const pipelineJob = pgTable(
	"pipeline_job",
	{
		jobId: text()
			.primaryKey()
			.references(() => job.id),
		pipelineId: text()
			.notNull()
			.references(() => pipeline.id),
		run: integer().notNull(),
		createdAtMs: bigint({ mode: "number" }).notNull(),
	},
	(t) => [index("pipeline_job_pipeline").on(t.pipelineId, t.run)],
);
