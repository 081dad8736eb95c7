import { eq } from "drizzle-orm";
import { notify } from "#server/db/notify.ts";
import { job } from "#server/db/schema/job.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorizeFound } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { noJob } from "#server/services/core/no-job.ts";
import { requireWithinTokenLimit } from "./token-limit.ts";

/**
 * Lets a job that was held for attempts without progress use the cloud again. Earlier attempts no longer count.
 * @throws SpillwayError `not_found`, also for another team's job; `forbidden`; `conflict` when it is not held for that reason.
 */
export async function resumeJob(ctx: ServiceContext, jobId: string): Promise<{ afterAttempt: number }> {
	return ctx.db.transaction(async (tx) => {
		const [row] = await tx.select().from(job).where(eq(job.id, jobId)).for("update");
		authorizeFound(ctx, "job:cancel", row, () => noJob(jobId));
		if (!row) throw noJob(jobId);
		requireWithinTokenLimit(ctx.actor, [row.spec]);
		if (row.state !== "held" || row.reason.code !== "no_progress")
			throw new SpillwayError("conflict", `Job ${jobId} is not held for attempts without progress.`, {
				fix: "Only such jobs need to be resumed. See the job's reason.",
			});
		await tx.update(job).set({ resumedAfterAttempt: row.attempts }).where(eq(job.id, jobId));
		await writeAudit(tx, ctx, {
			action: "job.resume",
			subject: jobId,
			before: { reason: row.reason },
			after: { resumedAfterAttempt: row.attempts },
		});
		await notify(tx, { wake: true, changes: [{ topic: "job", id: jobId, team: row.team }] });
		return { afterAttempt: row.attempts };
	});
}
