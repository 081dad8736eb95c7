import { mkdir, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { and, desc, eq, ne, sql } from "drizzle-orm";
import type { Db, DbOrTx, Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { checkpoint } from "#server/db/schema/checkpoint.ts";
import { job } from "#server/db/schema/job.ts";
import { newId } from "#server/kernel/ids.ts";
import { readSpeeds } from "#server/services/capacity/site/pool-speed.ts";
import { copyFolder } from "./copy-folder.ts";

/** Complete checkpoints of a job that are kept; older ones are deleted. */
export const CHECKPOINTS_KEPT = 2;

/** Where the files of a checkpoint lie. */
export function checkpointFolder(root: string, jobId: string, checkpointId: string): string {
	return path.join(root, jobId, checkpointId);
}

/** The folder of the job's newest complete checkpoint, or null. */
export async function latestCheckpoint(db: DbOrTx, root: string, jobId: string): Promise<{ id: string; folder: string } | null> {
	const [row] = await db
		.select({ id: checkpoint.id })
		.from(checkpoint)
		.where(eq(checkpoint.jobId, jobId))
		.orderBy(desc(checkpoint.createdAt), desc(checkpoint.id))
		.limit(1);
	return row ? { id: row.id, folder: checkpointFolder(root, jobId, row.id) } : null;
}

/**
 * Keeps a copy of `folder` as the job's newest checkpoint, when it holds anything. The copy is complete before its row
 * exists, so a crash leaves at most an unreferenced folder, which the next save removes.
 * Answers the checkpoint's id, or null when there was nothing to keep.
 */
export async function saveCheckpoint(
	db: Db,
	root: string,
	input: { jobId: string; attemptId: string; folder: string; atMs: number },
): Promise<string | null> {
	const id = newId("ckp", input.atMs);
	const target = checkpointFolder(root, input.jobId, id);
	const partial = `${target}.partial`;
	await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
	const files = await copyFolder(input.folder, partial);
	if (files.length === 0) return null;
	await rename(partial, target);
	await commitCheckpoint(db, root, {
		id,
		jobId: input.jobId,
		attemptId: input.attemptId,
		files: files.length,
		bytes: files.reduce((s, f) => s + f.bytes, 0),
		atMs: input.atMs,
	});
	return id;
}

/** Makes a folder that is complete in the store the job's newest checkpoint. `check` throws where it may not, in the same transaction. */
export async function commitCheckpoint(
	db: Db,
	root: string,
	input: { id: string; jobId: string; attemptId: string; files: number; bytes: number; atMs: number; check?: (tx: Tx) => Promise<void> },
): Promise<void> {
	await db.transaction(async (tx) => {
		await input.check?.(tx);
		const [run] = await tx
			.select({ startedAt: attempt.startedAt, placement: attempt.placement })
			.from(attempt)
			.where(eq(attempt.id, input.attemptId));
		const [before] = await tx
			.select({ ms: sql<string>`coalesce(max(${checkpoint.completedMs}), 0)::text` })
			.from(checkpoint)
			.where(and(eq(checkpoint.jobId, input.jobId), ne(checkpoint.attemptId, input.attemptId)));
		const speed = run ? (await readSpeeds(tx)).of(run.placement) : 1;
		const inThisAttempt = run?.startedAt ? Math.max(0, input.atMs - run.startedAt.getTime()) : 0;
		const completedMs = BigInt(before?.ms ?? "0") + BigInt(Math.round(inThisAttempt * speed));
		await tx.insert(checkpoint).values({
			id: input.id,
			jobId: input.jobId,
			attemptId: input.attemptId,
			createdAt: new Date(input.atMs),
			files: input.files,
			bytes: BigInt(input.bytes),
			completedMs,
		});
		await tx.update(job).set({ completedMs }).where(eq(job.id, input.jobId));
		await notify(tx, { changes: [{ topic: "job", id: input.jobId, team: null }] });
	});
	await prune(db, root, input.jobId);
}

async function prune(db: Db, root: string, jobId: string): Promise<void> {
	const kept = await db
		.select({ id: checkpoint.id })
		.from(checkpoint)
		.where(eq(checkpoint.jobId, jobId))
		.orderBy(desc(checkpoint.createdAt), desc(checkpoint.id))
		.limit(CHECKPOINTS_KEPT);
	const keep = new Set(kept.map((k) => k.id));
	const oldest = [...keep].sort()[0];
	const folders = await readdir(path.join(root, jobId)).catch(() => []);
	for (const name of folders) {
		const id = name.replace(/\.partial$/, "");
		if (!keep.has(id) && oldest !== undefined && id < oldest) await rm(path.join(root, jobId, name), { recursive: true, force: true });
	}
}
