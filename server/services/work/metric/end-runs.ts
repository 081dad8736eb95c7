import { and, eq, inArray } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { trackingRun } from "#server/db/schema/tracking.ts";
import { statusOfEnd } from "#server/domain/metric/mlflow-run.ts";
import type { FinalAttemptState } from "#server/domain/outcome.ts";

/** Ends the runs that a job's command left open. Call it in the transaction that ends the attempt. */
export async function endRuns(tx: Tx, { jobId, state, atMs }: { jobId: string; state: FinalAttemptState; atMs: number }): Promise<void> {
	await tx
		.update(trackingRun)
		.set({ status: statusOfEnd(state), endMs: atMs })
		.where(and(eq(trackingRun.jobId, jobId), inArray(trackingRun.status, ["RUNNING", "SCHEDULED"])));
}
