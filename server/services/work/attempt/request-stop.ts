import { and, eq, inArray, isNull } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import type { Reason } from "#server/domain/reasons.ts";
import { writeSchedulerAudit } from "#server/services/core/audit.ts";

/**
 * Asks a live attempt to end, with the reason to record for its end. The first reason stays: repeating the call changes nothing. Returns
 * whether this call was the first.
 */
export async function requestStop(tx: Tx, input: { attemptId: string; reason: Reason; atMs: number }): Promise<boolean> {
	const rows = await tx
		.update(attempt)
		.set({ state: "stopping", stopRequestedAt: new Date(input.atMs), stopReason: input.reason })
		.where(
			and(eq(attempt.id, input.attemptId), inArray(attempt.state, ["starting", "staging", "running"]), isNull(attempt.stopRequestedAt)),
		)
		.returning({ jobId: attempt.jobId });
	// Record a person's cancel under their name.
	if (rows.length > 0 && input.reason.code !== "cancelled_by_person") {
		await writeSchedulerAudit(tx, { action: "attempt.stop", subject: input.attemptId, after: input.reason, atMs: input.atMs });
	}
	for (const row of rows) await notify(tx, { wake: true, changes: [{ topic: "job", id: row.jobId, team: null }] });
	return rows.length > 0;
}
