import { and, eq, inArray, isNull } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { job } from "#server/db/schema/job.ts";
import type { Placement } from "#server/domain/capacity.ts";
import type { Reason } from "#server/domain/reasons.ts";
import { recordEvents } from "#server/services/notification/event/record.ts";
import { endApprovals } from "../approval/close.ts";
import { notHeldByPerson } from "./hold.ts";

/**
 * Moves a waiting job to `admitted` for attempt number `attemptNo`. The number is the guard: returns false when the job has changed since
 * the plan.
 */
export async function admitJob(
	tx: Tx,
	input: { jobId: string; attemptNo: number; placement: Placement; reason: Reason; nowMs: number },
): Promise<boolean> {
	const [row] = await tx
		.update(job)
		.set({ state: "admitted", attempts: input.attemptNo, placement: input.placement, reason: input.reason, forecast: null })
		.where(
			and(
				eq(job.id, input.jobId),
				inArray(job.state, ["queued", "held"]),
				eq(job.attempts, input.attemptNo - 1),
				isNull(job.cancelRequestedAt),
				notHeldByPerson,
			),
		)
		.returning({ team: job.team });
	if (!row) return false;
	const why = input.placement.capacityType === "owned" ? "the job starts at home" : "the job starts without it";
	await endApprovals(tx, { where: { jobId: input.jobId }, state: "withdrawn", why, nowMs: input.nowMs });
	await recordEvents(tx, [
		{ kind: "job_placed", atMs: input.nowMs, jobId: input.jobId, team: row.team, siteId: input.placement.siteId, reason: input.reason },
	]);
	await notify(tx, { changes: [{ topic: "job", id: input.jobId, team: row.team }] });
	return true;
}
