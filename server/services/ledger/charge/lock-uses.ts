import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import type { OwnedUse } from "#server/accounting/meter-pool.ts";
import type { Tx } from "#server/db/client.ts";
import { allocation } from "#server/db/schema/allocation.ts";
import { job } from "#server/db/schema/job.ts";

/**
 * Allocations that meet `where`, ordered by id, locked in the same order as when an allocation ends: jobs first, by id. The caller must
 * hold their pool's row lock, so no new allocation is placed. An allocation that starts to meet `where` between the two locks is left out:
 * its time is idle until it is charged, which moves it.
 */
export async function lockUses(tx: Tx, where: SQL | undefined): Promise<OwnedUse[]> {
	const wanted = tx.select({ id: allocation.jobId }).from(allocation).where(where);
	const jobs = await tx.select({ id: job.id }).from(job).where(sql`${job.id} in ${wanted}`).orderBy(asc(job.id)).for("no key update");
	if (jobs.length === 0) return [];
	const ids = JSON.stringify(jobs.map(({ id }) => id));
	const rows = await tx
		.select({ allocation, work: { team: job.team, project: job.project, class: job.class } })
		.from(allocation)
		.innerJoin(job, eq(job.id, allocation.jobId))
		.where(and(where, sql`${allocation.jobId} in (select json_array_elements_text(${ids}::json))`))
		.orderBy(asc(allocation.id))
		.for("no key update", { of: allocation });
	return rows.map(({ allocation: row, work }) => ({
		allocationId: row.id,
		jobId: row.jobId,
		attemptId: row.attemptId,
		slots: row.slots,
		microUsdPerGpuHour: row.microUsdPerGpuHour,
		startMs: row.startedAt.getTime(),
		endMs: row.endedAt?.getTime() ?? null,
		meteredUntilMs: row.meteredUntil?.getTime() ?? null,
		work,
	}));
}
