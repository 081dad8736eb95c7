import { and, eq, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { checkpoint } from "#server/db/schema/checkpoint.ts";
import { checkpointPart } from "#server/db/schema/checkpoint-part.ts";
import { job } from "#server/db/schema/job.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { openStore, type StoreBox } from "#server/services/capacity/store/box.ts";
import { storeById } from "#server/services/capacity/store/find.ts";
import { checkpointsFolder } from "./place.ts";
import { KEPT_AFTER_END_MS } from "./tidy.ts";

/** Parts deleted per call; the next call continues. */
const MOST = 500;
/** A restore that began before its checkpoint was pruned has this long to finish. */
const GRACE_MS = HOUR_MS;

/**
 * Deletes files in teams' stores that no restore needs: those of pruned and broken checkpoints, unless a later checkpoint refers to them
 * because they did not change, and those of jobs that ended long ago. Returns how many ranks' parts were deleted.
 * @throws Error when a store rejects a request; earlier deletions stay
 */
export async function tidyStoredCheckpoints(db: Db, stores: StoreBox, nowMs: number): Promise<number> {
	const parts = await deletableParts(db, nowMs);
	for (const [storeId, ofStore] of Map.groupBy(parts, (part) => part.storeId)) {
		const opened = openStore(stores, await storeById(db, storeId));
		for (const { jobId, attemptId, checkpointId, rank } of ofStore) {
			await stores.port.remove(opened, `${checkpointsFolder(jobId)}/${attemptId}/${checkpointId}/${rank}`);
			await db.delete(checkpointPart).where(and(eq(checkpointPart.checkpointId, checkpointId), eq(checkpointPart.rank, rank)));
		}
	}
	return parts.length;
}

/** Cost: the file lists of the kept checkpoints of jobs that have pruned ones. */
async function deletableParts(db: Db, nowMs: number): Promise<(typeof checkpointPart.$inferSelect)[]> {
	const before = new Date(nowMs - GRACE_MS).toISOString();
	const isPast = sql`${checkpoint.prunedAt} < ${before} or (${checkpoint.problem} is not null and ${checkpoint.createdAt} < ${before})`;
	const folder = sql`${checkpointPart.attemptId} || '/' || ${checkpointPart.checkpointId} || '/' || ${checkpointPart.rank}`;
	// A part without a checkpoint may still become one, so its references count.
	const isReferredTo = sql`exists (select 1 from checkpoint_part later
		left join checkpoint complete on complete.id = later.checkpoint_id
		cross join lateral jsonb_array_elements(later.files) file
		where later.job_id = ${checkpointPart.jobId} and complete.pruned_at is null and complete.problem is null
			and file ->> 'from' = ${folder})`;
	const isOver = sql`${job.finishedAt} < ${new Date(nowMs - KEPT_AFTER_END_MS).toISOString()}`;
	const rows = await db
		.select({ part: checkpointPart })
		.from(checkpointPart)
		.innerJoin(job, eq(job.id, checkpointPart.jobId))
		.leftJoin(checkpoint, eq(checkpoint.id, checkpointPart.checkpointId))
		.where(sql`${isOver} or ((${isPast}) and not ${isReferredTo})`)
		.limit(MOST);
	return rows.map(({ part }) => part);
}
