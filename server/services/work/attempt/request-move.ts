import { and, asc, eq, inArray, isNotNull, isNull, lte } from "drizzle-orm";
import type { Db, Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { attempt, type StoredMoveTarget } from "#server/db/schema/attempt.ts";
import type { Reason } from "#server/domain/reasons.ts";
import { defined } from "#server/kernel/assert.ts";
import { writeSchedulerAudit } from "#server/services/core/audit.ts";
import { requestStop } from "./request-stop.ts";

/**
 * Records where a live attempt's job continues, and asks it to end at `atMs`. The first move stays: repeating the call changes nothing, and
 * an attempt that is ending for another reason is not moved. Returns whether this call was the first.
 */
export async function requestMove(
	tx: Tx,
	input: { attemptId: string; to: StoredMoveTarget; reason: Reason; atMs: number; nowMs: number },
): Promise<boolean> {
	const rows = await tx
		.update(attempt)
		.set({ movingTo: input.to, moveAt: new Date(input.atMs), moveReason: input.reason })
		.where(
			and(
				eq(attempt.id, input.attemptId),
				inArray(attempt.state, ["starting", "staging", "running"]),
				isNull(attempt.stopRequestedAt),
				isNull(attempt.movingTo),
			),
		)
		.returning({ jobId: attempt.jobId });
	for (const row of rows) await notify(tx, { changes: [{ topic: "job", id: row.jobId, team: null }] });
	if (rows.length === 0) return false;
	await writeSchedulerAudit(tx, {
		...{ action: "attempt.move", subject: input.attemptId, atMs: input.nowMs },
		after: { to: input.to, reason: input.reason, beginsAtMs: input.atMs },
	});
	if (input.atMs <= input.nowMs) await requestStop(tx, { attemptId: input.attemptId, reason: input.reason, atMs: input.nowMs });
	return true;
}

export const isMoveDue = (nowMs: number) =>
	and(isNotNull(attempt.moveAt), lte(attempt.moveAt, new Date(nowMs)), isNull(attempt.stopRequestedAt), isNull(attempt.finishedAt));

/** Asks every attempt with a due move to end. Returns how many. */
export async function beginDueMoves(db: Db, nowMs: number): Promise<number> {
	const due = await db
		.select({ id: attempt.id, reason: attempt.moveReason })
		.from(attempt)
		.where(isMoveDue(nowMs))
		.orderBy(asc(attempt.id));
	let asked = 0;
	for (const row of due) {
		const reason = defined(row.reason, "the reason of a move");
		if (await db.transaction((tx) => requestStop(tx, { attemptId: row.id, reason, atMs: nowMs }))) asked++;
	}
	return asked;
}
