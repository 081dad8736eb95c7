import { and, eq, isNull, lte } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { artifact } from "#server/db/schema/artifact.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { readableArtifact } from "./get.ts";
import { artifactPlace, deletePlace } from "./store.ts";

/** Expired artifacts that one run deletes: a run stays short, and the next one continues. */
const EXPIRED_PER_RUN = 100;

/**
 * Deletes an artifact's files; its row stays as lineage. Deleting twice is one deletion.
 * @param root of the embedded artifact store
 * @throws SpillwayError `forbidden`, `not_found`
 */
export async function deleteArtifact(ctx: ServiceContext, root: string, id: string): Promise<void> {
	const row = await readableArtifact(ctx, id);
	authorize(ctx, "artifact:delete", row.team);
	await ctx.db.transaction(async (tx) => {
		const deleted = await tx
			.update(artifact)
			.set({ deletedAt: new Date(ctx.clock.nowMs()) })
			.where(and(eq(artifact.id, id), isNull(artifact.deletedAt)))
			.returning({ id: artifact.id });
		if (deleted.length === 0) return;
		await writeAudit(tx, ctx, { action: "artifact.delete", subject: id, before: { jobId: row.jobId, name: row.name } });
		await notify(tx, { changes: [{ topic: "job", id: row.jobId, team: row.team }] });
	});
	await deletePlace(artifactPlace(root, id));
}

/** Deletes the files of artifacts that have expired. Returns how many. */
export async function deleteExpiredArtifacts(db: Db, root: string, nowMs: number): Promise<number> {
	const at = new Date(nowMs);
	const expired = await db
		.select({ id: artifact.id })
		.from(artifact)
		.where(and(lte(artifact.expiresAt, at), isNull(artifact.deletedAt)))
		.limit(EXPIRED_PER_RUN);
	for (const { id } of expired) {
		// Files before the row: after a crash in between, the next run finds the row again.
		await deletePlace(artifactPlace(root, id));
		await db.update(artifact).set({ deletedAt: at }).where(eq(artifact.id, id));
	}
	return expired.length;
}
