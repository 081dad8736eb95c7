import { mkdir, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { and, desc, eq, inArray, isNull, ne, sql } from "drizzle-orm";
import type { Db, DbOrTx, Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { checkpoint } from "#server/db/schema/checkpoint.ts";
import { job } from "#server/db/schema/job.ts";
import { CHECKPOINTS_KEPT } from "#server/domain/job.ts";
import { newId } from "#server/kernel/ids.ts";
import { readSpeeds } from "#server/services/capacity/site/pool-speed.ts";
import { copyFolder, mustBelongTo } from "./copy-folder.ts";

/** Location of a checkpoint's files. */
export function checkpointFolder(root: string, jobId: string, checkpointId: string): string {
	return path.join(root, jobId, checkpointId);
}

/** The job's newest checkpoint that no restore found broken; null when it has none. */
export async function newestCheckpoint(
	db: DbOrTx,
	jobId: string,
): Promise<{ id: string; storeId: string | null; step: number | null } | null> {
	const [row] = await db
		.select({ id: checkpoint.id, storeId: checkpoint.storeId, step: checkpoint.step })
		.from(checkpoint)
		.where(and(eq(checkpoint.jobId, jobId), isNull(checkpoint.problem), isNull(checkpoint.prunedAt)))
		.orderBy(desc(checkpoint.createdAt), desc(checkpoint.id))
		.limit(1);
	return row ?? null;
}

/**
 * Saves a copy of `folder` as the job's newest checkpoint if it is not empty. The copy is complete before its row exists, so a crash leaves
 * at most an unreferenced folder, which the next save removes. Returns the checkpoint's id, or null when there was nothing to save.
 * @throws Error when the folder leads out of the attempt's, or could not be read
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
	await mustBelongTo(input.attemptId, input.folder);
	const files = await copyFolder(input.folder, partial);
	if (files.length === 0) return null;
	// Its job may have replaced the folder meanwhile.
	await mustBelongTo(input.attemptId, input.folder);
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

interface CompleteCheckpoint {
	id: string;
	jobId: string;
	attemptId: string;
	files: number;
	bytes: number;
	atMs: number;
	/** Set for a checkpoint in a team's store. */
	storeId?: string;
	step?: number | null;
	ranks?: number;
	/** Throws, in the same transaction, when it may not be recorded. */
	check?: (tx: Tx) => Promise<void>;
}

/** Makes a complete folder in the embedded store the job's newest checkpoint. */
export async function commitCheckpoint(db: Db, root: string, input: CompleteCheckpoint): Promise<void> {
	await recordCheckpoint(db, input);
	await prune(db, root, input.jobId);
}

/** Records a complete checkpoint, and marks older ones beyond the job's retention rule as pruned. Recording it again changes nothing. */
export async function recordCheckpoint(db: Db, input: CompleteCheckpoint): Promise<void> {
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
		const created = await tx
			.insert(checkpoint)
			.values({
				...{ id: input.id, jobId: input.jobId, attemptId: input.attemptId, createdAt: new Date(input.atMs), files: input.files },
				...{ bytes: BigInt(input.bytes), completedMs, storeId: input.storeId ?? null, step: input.step ?? null, ranks: input.ranks ?? 1 },
			})
			.onConflictDoNothing()
			.returning({ id: checkpoint.id });
		if (created.length === 0) return;
		await markPruned(tx, input.jobId, input.atMs);
		await tx.update(job).set({ completedMs }).where(eq(job.id, input.jobId));
		await notify(tx, { changes: [{ topic: "job", id: input.jobId, team: null }] });
	});
}

/** Older checkpoints beyond the number that the job keeps. Their files are deleted later. */
async function markPruned(tx: Tx, jobId: string, atMs: number): Promise<void> {
	const [row] = await tx.select({ spec: job.spec }).from(job).where(eq(job.id, jobId));
	const whole = await tx
		.select({ id: checkpoint.id })
		.from(checkpoint)
		.where(and(eq(checkpoint.jobId, jobId), isNull(checkpoint.problem), isNull(checkpoint.prunedAt)))
		.orderBy(desc(checkpoint.createdAt), desc(checkpoint.id));
	const old = whole.slice(row?.spec.checkpoint?.keep ?? CHECKPOINTS_KEPT).map(({ id }) => id);
	if (old.length > 0)
		await tx
			.update(checkpoint)
			.set({ prunedAt: new Date(atMs) })
			.where(inArray(checkpoint.id, old));
}

async function prune(db: Db, root: string, jobId: string): Promise<void> {
	const kept = await db
		.select({ id: checkpoint.id })
		.from(checkpoint)
		.where(and(eq(checkpoint.jobId, jobId), isNull(checkpoint.prunedAt)));
	const keep = new Set(kept.map((k) => k.id));
	const oldest = [...keep].sort()[0];
	const folders = await readdir(path.join(root, jobId)).catch(() => []);
	for (const name of folders) {
		const id = name.replace(/\.partial$/, "");
		if (!keep.has(id) && oldest !== undefined && id < oldest) await rm(path.join(root, jobId, name), { recursive: true, force: true });
	}
}
