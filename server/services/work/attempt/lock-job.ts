import { eq } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { job } from "#server/db/schema/job.ts";

/**
 * Locks the job of an attempt. Everything that changes both locks in this order: budget, instance, job, attempt. This prevents a deadlock
 * between a person's cancel and a machine's report.
 */
export async function lockJobOf(tx: Tx, attemptId: string): Promise<void> {
	await tx
		.select({ id: job.id })
		.from(job)
		.innerJoin(attempt, eq(attempt.jobId, job.id))
		.where(eq(attempt.id, attemptId))
		.for("update", { of: job });
}
