import { and, eq, inArray, isNull } from "drizzle-orm";
import type { Db, Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { adoption } from "#server/db/schema/adoption.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { job } from "#server/db/schema/job.ts";
import type { ForeignOutcome } from "#server/domain/foreign-job.ts";
import type { AdoptionWhy } from "#server/domain/imports/adoption.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import { ADOPTION_TRANSITIONS, type AdoptionState, isFinal, JOB_TRANSITIONS, LIVE_ATTEMPT_STATES } from "#server/domain/states.ts";
import { writeSchedulerAudit } from "#server/services/core/audit.ts";
import { recordEvents } from "#server/services/notification/event/record.ts";
import { endApprovals } from "../approval/close.ts";
import { requestStop } from "../attempt/request-stop.ts";

/**
 * Advances an adoption once; returns false when it has already advanced. Locks the Spillway job first, as everything that places it does.
 * With `endsJob`, that job ends too: a waiting job is cancelled immediately, a running job is asked to stop.
 */
export async function advanceAdoption(
	tx: Tx,
	input: {
		id: string;
		jobId: string;
		from: readonly AdoptionState[];
		to: AdoptionState;
		why?: AdoptionWhy;
		outcome?: ForeignOutcome;
		endsJob?: boolean;
		nowMs: number;
	},
): Promise<boolean> {
	const { id, jobId, to, why, outcome, nowMs } = input;
	const at = new Date(nowMs);
	await tx.select({ id: job.id }).from(job).where(eq(job.id, jobId)).for("update");
	const moved = await tx
		.update(adoption)
		.set({
			state: to,
			...(why ? { why } : {}),
			...(outcome ? { outcome } : {}),
			...(to === "held" ? { heldAt: at } : {}),
			...(isFinal(ADOPTION_TRANSITIONS, to) ? { endedAt: at } : {}),
		})
		.where(and(eq(adoption.id, id), inArray(adoption.state, [...input.from])))
		.returning({ siteId: adoption.siteId });
	const [row] = moved;
	// Too late to cancel, so reset what was decided for it: the Spillway job may be starting by now.
	if (!row) return false;
	if (input.endsJob) await endJob(tx, jobId, why ?? "job_ended", nowMs);
	await writeSchedulerAudit(tx, {
		action: `adoption.${to}`,
		subject: id,
		after: { jobId, why: why ?? null, outcome: outcome ?? null },
		atMs: nowMs,
	});
	await notify(tx, { wake: true, changes: [{ topic: "site", id: row.siteId, team: null }] });
	return true;
}

/** Plans the return of a held job that runs in the cloud until then. The first request stays; repeating it changes nothing. */
export async function returnAdoptionAt(tx: Tx, input: { id: string; atMs: number; reason: Reason; nowMs: number }): Promise<void> {
	const { id, atMs, reason: why, nowMs } = input;
	const rows = await tx
		.update(adoption)
		.set({ returnAt: new Date(atMs) })
		.where(and(eq(adoption.id, id), eq(adoption.state, "held"), isNull(adoption.returnAt)))
		.returning({ id: adoption.id });
	if (rows.length === 0) return;
	await writeSchedulerAudit(tx, { action: "adoption.return_planned", subject: id, after: { reason: why, atMs }, atMs: nowMs });
}

async function endJob(tx: Tx, jobId: string, why: AdoptionWhy, nowMs: number): Promise<void> {
	const [row] = await tx.select({ state: job.state, team: job.team, asked: job.cancelRequestedAt }).from(job).where(eq(job.id, jobId));
	if (!row || isFinal(JOB_TRANSITIONS, row.state)) return;
	const at = new Date(nowMs);
	const ended: Reason = reason("adoption_ended", { why });
	const [live] = await tx
		.select({ id: attempt.id })
		.from(attempt)
		.where(and(eq(attempt.jobId, jobId), inArray(attempt.state, [...LIVE_ATTEMPT_STATES])));
	await tx
		.update(job)
		.set({
			...(row.asked ? {} : { cancelRequestedAt: at, cancelRequestedBy: "system:control_loop" }),
			...(live ? {} : { state: "cancelled" as const, finishedAt: at, reason: ended, forecast: null }),
		})
		.where(eq(job.id, jobId));
	if (live) {
		await requestStop(tx, { attemptId: live.id, reason: ended, atMs: nowMs });
		return;
	}
	await endApprovals(tx, { where: { jobId }, state: "withdrawn", why: "the job is its own cluster's again", nowMs });
	await recordEvents(tx, [{ kind: "job_cancelled", atMs: nowMs, jobId, team: row.team, reason: ended }]);
	await notify(tx, { changes: [{ topic: "job", id: jobId, team: row.team }] });
}

/** Records the site's error from the last call; null when the call succeeded. Written only when it differs. */
export async function setAdoptionProblem(db: Db, row: { id: string; problem: string | null }, problem: string | null): Promise<void> {
	if (row.problem === problem) return;
	await db.update(adoption).set({ problem }).where(eq(adoption.id, row.id));
}

export async function setAdoptionOutput(db: Db, id: string, output: { files: string[]; problem: string | null }): Promise<void> {
	await db.update(adoption).set({ output }).where(eq(adoption.id, id));
}
