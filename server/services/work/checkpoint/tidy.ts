import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { and, inArray, lt } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { job } from "#server/db/schema/job.ts";
import { DAY_MS } from "#server/kernel/units.ts";

/** Checkpoint files are kept this long after their job's end, so that a person can still download them. */
export const KEPT_AFTER_END_MS = 7 * DAY_MS;

/** Deletes the checkpoint files of jobs that ended long ago; the rows stay as history. Returns the number of jobs. */
export async function tidyCheckpoints(db: Db, root: string, nowMs: number): Promise<number> {
	const jobIds = await readdir(root).catch(() => []);
	if (jobIds.length === 0) return 0;
	const ended = await db
		.select({ id: job.id })
		.from(job)
		.where(and(inArray(job.id, jobIds), lt(job.finishedAt, new Date(nowMs - KEPT_AFTER_END_MS))));
	for (const { id } of ended) await rm(path.join(root, id), { recursive: true, force: true });
	return ended.length;
}
