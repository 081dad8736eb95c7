import { and, eq, inArray, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { foreignJob } from "#server/db/schema/foreign-job.ts";
import { site } from "#server/db/schema/site.ts";
import type { ForeignJob } from "#server/domain/foreign-job.ts";

/** Last written queue of a site, so that only changes are written. Losing it costs one comparison with the table. */
export interface QueueMemory {
	jobs: readonly ForeignJob[] | null;
	/** Facts as JSON, by id. */
	written: Map<string, string> | null;
	readAtMs: number;
}

export function newQueueMemory(): QueueMemory {
	return { jobs: null, written: null, readAtMs: Number.NEGATIVE_INFINITY };
}

const READ_AT_EVERY_MS = 5_000;

/**
 * Writes a site's own queue as reported by its driver, and wakes the control loop on a change, because forecasts count these jobs. Deletes
 * jobs that ended. Passing the same array as last time costs nothing. Cost of a change: one statement for all new or changed jobs.
 */
export async function writeForeignJobs(
	db: Db,
	{ siteId, jobs, atMs }: { siteId: string; jobs: readonly ForeignJob[]; atMs: number },
	memory: QueueMemory,
): Promise<void> {
	if (memory.jobs === jobs && atMs - memory.readAtMs < READ_AT_EVERY_MS) return;
	const same = memory.jobs === jobs;
	memory.written ??= await readWritten(db, siteId);
	const before = memory.written;
	const now = new Map(jobs.map((job) => [job.id, same ? "" : JSON.stringify(job)]));
	const changed = same ? [] : jobs.filter(({ id }) => before.get(id) !== now.get(id));
	const gone = same ? [] : [...before.keys()].filter((id) => !now.has(id));
	const at = new Date(atMs);
	await db.transaction(async (tx) => {
		await tx.update(site).set({ queueReadAt: at }).where(eq(site.id, siteId));
		if (gone.length > 0) await tx.delete(foreignJob).where(and(eq(foreignJob.siteId, siteId), inArray(foreignJob.id, gone)));
		if (changed.length > 0) {
			await tx.execute(sql`
				insert into foreign_job (site_id, id, facts, first_seen_at, changed_at)
				select ${siteId}, facts->>'id', facts, ${at.toISOString()}::timestamptz, ${at.toISOString()}::timestamptz
				from jsonb_array_elements(${JSON.stringify(changed)}::jsonb) as facts
				on conflict (site_id, id) do update set facts = excluded.facts, changed_at = excluded.changed_at`);
		}
		if (gone.length + changed.length > 0) await notify(tx, { wake: true, changes: [{ topic: "site", id: siteId, team: null }] });
	});
	if (!same) memory.written = now;
	memory.jobs = jobs;
	memory.readAtMs = atMs;
}

async function readWritten(db: Db, siteId: string): Promise<Map<string, string>> {
	const rows = await db.select({ id: foreignJob.id }).from(foreignJob).where(eq(foreignJob.siteId, siteId));
	// The order of a JSON object's keys is not preserved there, so everything is written again.
	return new Map(rows.map(({ id }) => [id, ""]));
}
