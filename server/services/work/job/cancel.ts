import { and, eq, inArray } from "drizzle-orm";
import { notify } from "#server/db/notify.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { job } from "#server/db/schema/job.ts";
import { reason } from "#server/domain/reasons.ts";
import { isFinal, JOB_TRANSITIONS, type JobState, LIVE_ATTEMPT_STATES } from "#server/domain/states.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorizeFound } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { noJob } from "#server/services/core/no-job.ts";
import { recordEvents } from "#server/services/notification/event/record.ts";
import { endApprovals } from "../approval/close.ts";
import { requestStop } from "../attempt/request-stop.ts";

/**
 * Cancels a job for a person. A waiting job becomes `cancelled` immediately; a starting or running job is asked to stop and becomes
 * `cancelled` once its command has ended. Cancelling again changes nothing.
 * @throws SpillwayError `not_found`, also for another team's job; `forbidden`; `conflict` when the job has already ended.
 */
export async function cancelJob(ctx: ServiceContext, jobId: string): Promise<{ state: JobState }> {
	return ctx.db.transaction(async (tx) => {
		const [row] = await tx.select().from(job).where(eq(job.id, jobId)).for("update");
		authorizeFound(ctx, "job:cancel", row, () => noJob(jobId));
		if (!row) throw noJob(jobId);
		if (isFinal(JOB_TRANSITIONS, row.state)) {
			throw new SpillwayError("conflict", `Job ${jobId} is already ${row.state}.`);
		}
		if (row.cancelRequestedAt) return { state: row.state };
		const nowMs = ctx.clock.nowMs();
		const at = new Date(nowMs);
		const by = actorName(ctx.actor);
		const why = reason("cancelled_by_person", { by: ctx.actor.kind === "person" ? ctx.actor.name : by });
		const [live] = await tx
			.select({ id: attempt.id })
			.from(attempt)
			.where(and(eq(attempt.jobId, jobId), inArray(attempt.state, [...LIVE_ATTEMPT_STATES])));
		const next: JobState = live ? row.state : "cancelled";
		await tx
			.update(job)
			.set({
				cancelRequestedAt: at,
				cancelRequestedBy: by,
				...(live ? {} : { state: "cancelled" as const, finishedAt: at, reason: why, forecast: null }),
			})
			.where(eq(job.id, jobId));
		await endApprovals(tx, { where: { jobId }, state: "withdrawn", why: "the job was cancelled", nowMs });
		if (live) await requestStop(tx, { attemptId: live.id, reason: why, atMs: nowMs });
		else await recordEvents(tx, [{ kind: "job_cancelled", atMs: nowMs, jobId, team: row.team, reason: why }]);
		await writeAudit(tx, ctx, { action: "job.cancel", subject: jobId, before: { state: row.state }, after: { state: next } });
		await notify(tx, { wake: true, changes: [{ topic: "job", id: jobId, team: row.team }] });
		return { state: next };
	});
}
