import { eq } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { job } from "#server/db/schema/job.ts";
import { authorizeFound } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { noJob } from "#server/services/core/no-job.ts";

/**
 * The job's row, if the caller may read it.
 * @throws SpillwayError `forbidden` for a role that reads no jobs; `not_found`, also for another team's job
 */
export async function readableJob(ctx: ServiceContext, jobId: string, db: DbOrTx = ctx.db): Promise<typeof job.$inferSelect> {
	const [row] = await db.select().from(job).where(eq(job.id, jobId));
	authorizeFound(ctx, "job:read", row, () => noJob(jobId));
	if (!row) throw noJob(jobId);
	return row;
}
