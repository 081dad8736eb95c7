import { and, eq, lt, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { dataCopy } from "#server/db/schema/data-copy.ts";
import { isInUse } from "./stored-copies.ts";

export type DataCopyRow = typeof dataCopy.$inferSelect;

/** `wantedAt` of a copy that no job waits for. */
export const UNWANTED = new Date(0);

export async function markCopyStarted(db: Db, copyId: string, beganAt: Date): Promise<void> {
	await db.update(dataCopy).set({ beganAt }).where(eq(dataCopy.id, copyId));
}

/** Records a finished copy and wakes the scheduler, which may place a waiting job now. */
export async function recordCopied(
	db: Db,
	copyId: string,
	input: { asOfAt: Date; copiedBytes: bigint; storedBytes: bigint; mibPerS: number | undefined; isPaid: boolean },
): Promise<void> {
	const { mibPerS, isPaid, ...copied } = input;
	// What a later job needs is requested again, so that its egress is held first.
	const done = { failures: 0, error: null, retryAt: null, ...(isPaid && { wantedAt: input.asOfAt }) };
	await recordOutcome(db, copyId, { ...copied, ...(mibPerS === undefined ? {} : { mibPerS }), ...done });
}

/** Records a failed copy. A job that still needs it requests it again after `retryAt`. */
export async function recordCopyFailure(
	db: Db,
	row: DataCopyRow,
	input: { failures: number; error: string; retryAt: Date },
): Promise<void> {
	await recordOutcome(db, row.id, { ...input, error: input.error.slice(0, 1_000), wantedAt: row.asOfAt ?? UNWANTED });
}

async function recordOutcome(db: Db, copyId: string, set: Partial<DataCopyRow>): Promise<void> {
	await db.transaction(async (tx) => {
		await tx.update(dataCopy).set(set).where(eq(dataCopy.id, copyId));
		await notify(tx, { wake: true });
	});
}

/**
 * Withdraws copies that were not requested since `before` and that no live job uses, so that no job is placed next to them any more.
 * Returns them, so that their files can be deleted. A job that needs one again causes a new copy.
 */
export async function withdrawCopies(db: Db, before: Date): Promise<DataCopyRow[]> {
	return db
		.update(dataCopy)
		.set({ asOfAt: null, wantedAt: UNWANTED })
		.where(and(lt(dataCopy.usedAt, before), sql`not ${isInUse}`))
		.returning();
}

/** Deletes the row of a withdrawn copy, unless a job requested it meanwhile. */
export async function deleteWithdrawnCopy(db: Db, copyId: string): Promise<void> {
	await db.delete(dataCopy).where(and(eq(dataCopy.id, copyId), eq(dataCopy.wantedAt, UNWANTED)));
}
