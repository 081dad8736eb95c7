import { and, eq, isNull, lte } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { artifact } from "#server/db/schema/artifact.ts";
import { openStore } from "#server/services/capacity/store/box.ts";
import { storeById } from "#server/services/capacity/store/find.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { readableArtifact } from "./get.ts";
import type { ArtifactFiles } from "./open-file.ts";
import { artifactFolder, rootOf } from "./place.ts";
import { artifactPlace, deletePlace } from "./store.ts";

/** Expired artifacts deleted per run, which keeps runs short; the next run continues. */
const EXPIRED_PER_RUN = 100;

/**
 * Deletes an artifact's files; its row stays as lineage. Deleting twice is one deletion.
 * @throws SpillwayError `forbidden`, `not_found`
 */
export async function deleteArtifact(ctx: ServiceContext, files: ArtifactFiles, id: string): Promise<void> {
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
	await deleteFiles(ctx.db, files, row);
}

/** Deletes the files of artifacts that have expired. Returns how many. */
export async function deleteExpiredArtifacts(db: Db, files: ArtifactFiles, nowMs: number): Promise<number> {
	const at = new Date(nowMs);
	const expired = await db
		.select({ id: artifact.id, storeId: artifact.storeId })
		.from(artifact)
		.where(and(lte(artifact.expiresAt, at), isNull(artifact.deletedAt)))
		.limit(EXPIRED_PER_RUN);
	for (const row of expired) {
		// Files before the row: after a crash in between, the next run finds the row again.
		await deleteFiles(db, files, row);
		await db.update(artifact).set({ deletedAt: at }).where(eq(artifact.id, row.id));
	}
	return expired.length;
}

/** Deletes stored files, wherever they are. Repeating it is no error. */
export async function deleteFiles(
	db: Db,
	{ root, stores }: ArtifactFiles,
	{ id, storeId }: { id: string; storeId: string | null },
): Promise<void> {
	const row = storeId === null ? null : await storeById(db, storeId);
	if (row && row.config.kind !== "folder") await stores?.port.remove(openStore(stores, row), artifactFolder(id));
	await deletePlace(artifactPlace(rootOf(root, row?.config ?? null), id));
}
