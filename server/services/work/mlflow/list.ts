import { asc, eq } from "drizzle-orm";
import { mlflowForward } from "#server/db/schema/mlflow-forward.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { iso } from "#server/services/core/view.ts";
import { readableJob } from "../readable-job.ts";

export interface ForwardedRun {
	/** The id of a tracking run, or of the job for metrics of its output. */
	runId: string;
	/** The run in MLflow; null until it is created. */
	remoteRunId: string | null;
	state: "pending" | "forwarded" | "failed";
	/** Why the last try failed. */
	error: string | null;
	retryAt: string | null;
	forwardedAt: string | null;
}

/**
 * Runs of a job that are, or are about to be, forwarded to an MLflow server.
 * @throws SpillwayError `forbidden`; `not_found`, also for another team's job
 */
export async function listForwardedRuns(ctx: ServiceContext, jobId: string): Promise<ForwardedRun[]> {
	await readableJob(ctx, jobId);
	const rows = await ctx.db.select().from(mlflowForward).where(eq(mlflowForward.jobId, jobId)).orderBy(asc(mlflowForward.runId));
	return rows.map(({ runId, remoteRunId, sentAt, error, retryAt }) => ({
		...{ runId, remoteRunId, state: sentAt ? "forwarded" : error === null ? "pending" : "failed" },
		...{ error, retryAt: iso(retryAt), forwardedAt: iso(sentAt) },
	}));
}
