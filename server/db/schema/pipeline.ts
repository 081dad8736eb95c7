import { sql } from "drizzle-orm";
import { bigint, check, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { JobSpec } from "../../domain/job.ts";
import type { GraphStep } from "../../domain/pipeline/advance.ts";
import type { PipelineKind, Scalar, StepInput } from "../../domain/pipeline/pipeline.ts";
import type { StepExpectation } from "../../domain/pipeline/step-expectation.ts";
import type { StopRule } from "../../domain/pipeline/stop-rule.ts";
import { PIPELINE_STATES, STEP_STATES, type StepState } from "../../domain/states.ts";
import { instant, json, microUsd } from "./columns.ts";
import { job } from "./job.ts";
import { template } from "./template.ts";

/** A declared step, stored with its pipeline, since pipelines have only as many steps as people wrote. */
export interface StoredStep extends GraphStep, StepExpectation {
	inputs: StepInput[];
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
		/** The file as submitted; null from before it was kept. */
		source: text(),
		/** The quote shown at submission. */
		quote: json<unknown>(),
		state: text({ enum: PIPELINE_STATES }).notNull().default("running"),
		/** Number of runs, in total and by state; kept in the transaction that changes them. */
		runs: integer().notNull(),
		counts: json<Record<StepState, number>>().notNull(),
		/** Runs at a time; null: no limit. */
		parallel: integer(),
		deadlineAt: instant(),
		/** Maximum cloud spend of all jobs together. */
		budgetMicroUsd: microUsd(),
		submittedBy: text().notNull(),
		submittedAt: instant().notNull(),
		finishedAt: instant(),
		cancelRequestedBy: text(),
		/** When trials are stopped early; null: never. */
		stop: json<StopRule>(),
		/** The trigger that started it. */
		triggerId: text(),
		/** The template that it was run from, and its version; null for other pipelines. */
		templateId: text().references(() => template.id),
		templateVersion: integer(),
	},
	(t) => [
		index("pipeline_live").on(t.id).where(sql`${t.state} in ('running','cancelling')`),
		index("pipeline_submitted").on(t.submittedAt.desc().nullsFirst(), t.id.desc().nullsFirst()),
		index("pipeline_team_submitted").on(t.team, t.submittedAt.desc().nullsFirst(), t.id.desc().nullsFirst()),
		check("pipeline_finished_iff_final", sql`(${t.state} in ('succeeded','failed','cancelled')) = (${t.finishedAt} is not null)`),
		check("pipeline_runs_positive", sql`${t.runs} > 0`),
		check("pipeline_template_with_version", sql`(${t.templateId} is null) = (${t.templateVersion} is null)`),
	],
);

/** One run of a step, which becomes a job. */
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
		/** Jobs since the last manual retry. */
		tries: integer().notNull().default(0),
		exitCode: integer(),
		/** Why it was skipped. */
		why: text(),
		/** Why its job was cancelled early: it then counts as skipped. */
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
 * A pipeline's reservation in a budget for jobs still to come. It is part of budget_period.held_micro_usd, like the
 * holds of instances: a placement converts it into such a hold, and the unused rest of a hold returns here while the
 * pipeline is alive.
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

/** Every job created for a run, since earlier attempts count toward its cost too. */
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
