import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { job } from "#server/db/schema/job.ts";
import type { TimeRange } from "#server/domain/decision.ts";
import type { Reason } from "#server/domain/reasons.ts";
import { writeSchedulerAudit } from "#server/services/core/audit.ts";
import { recordEvents } from "#server/services/notification/event/record.ts";
import { endApprovals } from "../approval/close.ts";
import { recordEndNotice } from "../notice/job.ts";
import { notHeldByPerson } from "./hold.ts";

/** Moves a waiting job between `queued` and `held`, with the reason. Returns false when it is no longer waiting. */
export async function setWaitingState(
	tx: Tx,
	input: { jobId: string; state: "queued" | "held"; reason: Reason; nowMs: number },
): Promise<boolean> {
	const [row] = await tx
		.update(job)
		.set({ state: input.state, reason: input.reason })
		.where(and(eq(job.id, input.jobId), inArray(job.state, ["queued", "held"]), isNull(job.cancelRequestedAt), notHeldByPerson))
		.returning({ team: job.team });
	if (!row) return false;
	await writeSchedulerAudit(tx, {
		...{ action: input.state === "held" ? "job.hold" : "job.release", subject: input.jobId, atMs: input.nowMs },
		after: { reason: input.reason },
	});
	if (input.state === "held")
		await recordEvents(tx, [{ kind: "job_held", atMs: input.nowMs, jobId: input.jobId, team: row.team, reason: input.reason }]);
	await notify(tx, { changes: [{ topic: "job", id: input.jobId, team: row.team }] });
	return true;
}

/** Ends a waiting job that can never run. */
export async function failWaiting(tx: Tx, input: { jobId: string; reason: Reason; nowMs: number }): Promise<boolean> {
	const [row] = await tx
		.update(job)
		.set({ state: "failed", reason: input.reason, finishedAt: new Date(input.nowMs), forecast: null })
		.where(and(eq(job.id, input.jobId), inArray(job.state, ["queued", "held"]), notHeldByPerson))
		.returning({ team: job.team });
	if (!row) return false;
	await endApprovals(tx, { where: { jobId: input.jobId }, state: "withdrawn", why: "the job can never run", nowMs: input.nowMs });
	await writeSchedulerAudit(tx, { action: "job.refuse", subject: input.jobId, after: { reason: input.reason }, atMs: input.nowMs });
	await recordEvents(tx, [{ kind: "job_failed", atMs: input.nowMs, jobId: input.jobId, team: row.team, reason: input.reason }]);
	await recordEndNotice(tx, { ...input, state: "failed" });
	await notify(tx, { changes: [{ topic: "job", id: input.jobId, team: row.team }] });
	return true;
}

/** Records why jobs wait and when they would start at home, in one statement. The caller passes only changes. */
export async function writeWaiting(
	db: DbOrTx,
	rows: readonly { jobId: string; reason: Reason; forecast: TimeRange | null }[],
): Promise<void> {
	if (rows.length === 0) return;
	const data = JSON.stringify(rows.map((r) => ({ id: r.jobId, reason: r.reason, forecast: r.forecast })));
	await db.execute(sql`
		update job set reason = w.reason, forecast = nullif(w.forecast, 'null'::jsonb)
		from jsonb_to_recordset(${data}::jsonb) as w(id text, reason jsonb, forecast jsonb)
		where job.id = w.id and job.state in ('queued', 'held') and ${notHeldByPerson}`);
	await notify(db, { changes: [{ topic: "job", id: null, team: null }] });
}
