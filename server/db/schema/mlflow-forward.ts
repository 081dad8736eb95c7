import { index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";
import { job } from "./job.ts";

/** Progress of forwarding a run to an MLflow server. A row is deleted 30 days after its last change. */
export const mlflowForward = pgTable(
	"mlflow_forward",
	{
		/** The id of a tracking run, or of the job for metrics of its output. */
		runId: text().primaryKey(),
		jobId: text()
			.notNull()
			.references(() => job.id),
		/** The run in MLflow; null until it is created. */
		remoteRunId: text(),
		/** Metric points that MLflow has accepted, in the order of their key. */
		points: integer().notNull().default(0),
		/** When everything was accepted. */
		sentAt: instant(),
		/** Consecutive failures, the last one's message, and when it is tried again. */
		failures: integer().notNull().default(0),
		error: text(),
		retryAt: instant(),
		changedAt: instant().notNull(),
	},
	(t) => [index("mlflow_forward_job").on(t.jobId), index("mlflow_forward_changed").on(t.changedAt)],
);
