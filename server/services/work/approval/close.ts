import { and, eq, inArray, isNull } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { alert } from "#server/db/schema/alert.ts";
import { approval } from "#server/db/schema/approval.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { LOOP } from "#server/services/core/context.ts";

const loopAt = (nowMs: number) => ({ ...LOOP, clock: { nowMs: () => nowMs } });

/** Their approvers no longer need a notification. */
export async function closeAlerts(tx: Tx, approvalIds: readonly string[], nowMs: number): Promise<void> {
	await tx
		.update(alert)
		.set({ closedAt: new Date(nowMs) })
		.where(and(eq(alert.rule, "approval_waiting"), inArray(alert.subject, [...approvalIds]), isNull(alert.closedAt)));
	await notify(tx, {
		changes: [
			{ topic: "alert", id: null, team: null },
			{ topic: "approval", id: null, team: null },
		],
	});
}

/**
 * Closes a job's open requests without an answer: the job moved on, the policy no longer requires approval, or no one answered in time.
 * Returns how many were open, at most one per job. The caller holds the job's row lock, so it comes before a person's answer.
 */
export async function endApprovals(
	tx: Tx,
	input: { where: { jobId: string } | { ids: readonly string[] }; state: "withdrawn" | "expired"; why: string; nowMs: number },
): Promise<number> {
	const { where, state, why, nowMs } = input;
	const rows = await tx
		.update(approval)
		.set({ state, note: why, decidedAt: new Date(nowMs) })
		.where(and("jobId" in where ? eq(approval.jobId, where.jobId) : inArray(approval.id, [...where.ids]), eq(approval.state, "open")))
		.returning({ id: approval.id, jobId: approval.jobId, ruleId: approval.ruleId });
	if (rows.length === 0) return 0;
	for (const { id, jobId, ruleId } of rows) {
		const after = { state, jobId, ruleId, why };
		await writeAudit(tx, loopAt(nowMs), { action: `approval.${state}`, subject: id, before: { state: "open" }, after });
	}
	await closeAlerts(
		tx,
		rows.map((r) => r.id),
		nowMs,
	);
	return rows.length;
}
