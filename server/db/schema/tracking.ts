import { bigint, bigserial, doublePrecision, index, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { durationMs, instant } from "./columns.ts";
import { job } from "./job.ts";

/** A group of runs, as in MLflow. Each team has its own. */
export const trackingExperiment = pgTable(
	"tracking_experiment",
	{
		id: bigserial({ mode: "number" }).primaryKey(),
		team: text().notNull(),
		name: text().notNull(),
		createdAt: instant().notNull(),
		deletedAt: instant(),
	},
	(t) => [uniqueIndex("tracking_experiment_name").on(t.team, t.name)],
);

/** A run of an experiment. Every job also has a run under its own id, without a row here. */
export const trackingRun = pgTable(
	"tracking_run",
	{
		id: text().primaryKey(),
		experimentId: bigint({ mode: "number" })
			.notNull()
			.references(() => trackingExperiment.id),
		team: text().notNull(),
		/** The job that logs it; null when logged from elsewhere. */
		jobId: text().references(() => job.id),
		name: text().notNull(),
		userName: text().notNull(),
		status: text().notNull().default("RUNNING"),
		startMs: durationMs().notNull(),
		endMs: durationMs(),
		deletedAt: instant(),
	},
	(t) => [index("tracking_run_experiment").on(t.experimentId, t.startMs.desc()), index("tracking_run_job").on(t.jobId)],
);

/** Parameters, tags and logged models of runs. The value of a model is JSON. */
export const trackingValue = pgTable(
	"tracking_value",
	{ runId: text().notNull(), kind: text({ enum: ["param", "tag", "model"] }).notNull(), key: text().notNull(), value: text().notNull() },
	(t) => [primaryKey({ columns: [t.runId, t.kind, t.key] })],
);

/** Metrics of a tracking run or of a job's output, by the id of either. */
export const metricPoint = pgTable(
	"metric_point",
	{
		runId: text().notNull(),
		key: text().notNull(),
		step: bigint({ mode: "number" }).notNull(),
		atMs: durationMs().notNull(),
		value: doublePrecision().notNull(),
	},
	(t) => [primaryKey({ columns: [t.runId, t.key, t.step, t.atMs] })],
);
