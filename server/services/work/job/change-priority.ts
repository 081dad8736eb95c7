import { eq, sql } from "drizzle-orm";
import { notify } from "#server/db/notify.ts";
import { job } from "#server/db/schema/job.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorizeFound } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { noJob } from "#server/services/core/no-job.ts";

/**
 * Changes the priority of a waiting job, in its row and in its spec. The next cycle orders the queue by it.
 * @param priority 0 to 100, higher first
 * @returns the previous priority
 * @throws SpillwayError `not_found`, also for another team's job; `forbidden`; `conflict` when the job no longer waits
 */
export async function changePriority(ctx: ServiceContext, jobId: string, priority: number): Promise<{ before: number }> {
	return ctx.db.transaction(async (tx) => {
		const [row] = await tx.select().from(job).where(eq(job.id, jobId)).for("update");
		authorizeFound(ctx, "job:submit", row, () => noJob(jobId));
		if (!row) throw noJob(jobId);
		if ((row.state !== "queued" && row.state !== "held") || row.cancelRequestedAt)
			throw new SpillwayError(
				"conflict",
				`Job ${jobId} is ${row.cancelRequestedAt ? "being cancelled" : row.state}; it is not in the queue.`,
				{
					fix: "Change the priority of queued and held jobs only.",
				},
			);
		if (row.priority === priority) return { before: priority };
		await tx
			.update(job)
			.set({ priority, spec: sql`jsonb_set(${job.spec}, '{priority}', to_jsonb(${priority}::int))` })
			.where(eq(job.id, jobId));
		await writeAudit(tx, ctx, { action: "job.priority", subject: jobId, before: { priority: row.priority }, after: { priority } });
		await notify(tx, { wake: true, changes: [{ topic: "job", id: jobId, team: row.team }] });
		return { before: row.priority };
	});
}
