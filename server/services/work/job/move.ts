import { and, eq, inArray, isNull } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { adoption } from "#server/db/schema/adoption.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { job } from "#server/db/schema/job.ts";
import { LIVE_ATTEMPT_STATES } from "#server/domain/states.ts";
import type { MoveDestination, MoveRequest } from "#server/domain/vocabulary.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorizeFound } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { noJob } from "#server/services/core/no-job.ts";
import { requireWithinTokenLimit } from "./token-limit.ts";
import type { JobRow } from "./view.ts";

type AttemptRow = typeof attempt.$inferSelect;

/**
 * Requests that a running job continues on owned GPUs or at another place in the cloud. The scheduler moves it at its next checkpoint, once
 * there is a place that the policy allows (`moveAsRequested`). A second request replaces the first.
 * @throws SpillwayError `not_found`, also for another team's job; `forbidden`; `conflict` when the job cannot move there
 */
export async function moveJob(ctx: ServiceContext, jobId: string, to: MoveDestination): Promise<void> {
	const by = ctx.actor.kind === "person" ? ctx.actor.name : actorName(ctx.actor);
	await changeRequest(ctx, jobId, { action: "job.move", next: { to, by }, refuses: (tx, row, live) => moveProblem(tx, row, live, to) });
}

/**
 * Withdraws the request for a move that has not been planned yet.
 * @throws SpillwayError `not_found`, also for another team's job; `forbidden`; `conflict` when no request is open
 */
export async function stayJob(ctx: ServiceContext, jobId: string): Promise<void> {
	await changeRequest(ctx, jobId, { action: "job.stay", next: null, refuses: async (_, row, live) => stayProblem(row, live) });
}

interface Change {
	action: "job.move" | "job.stay";
	next: MoveRequest | null;
	refuses: (tx: Tx, row: JobRow, live: AttemptRow | undefined) => Promise<SpillwayError | null>;
}

async function changeRequest(ctx: ServiceContext, jobId: string, { action, next, refuses }: Change): Promise<void> {
	await ctx.db.transaction(async (tx) => {
		const [row] = await tx.select().from(job).where(eq(job.id, jobId)).for("update");
		authorizeFound(ctx, "job:cancel", row, () => noJob(jobId));
		if (!row) throw noJob(jobId);
		const [live] = await tx
			.select()
			.from(attempt)
			.where(and(eq(attempt.jobId, jobId), inArray(attempt.state, [...LIVE_ATTEMPT_STATES])))
			.for("update");
		const refusal = await refuses(tx, row, live);
		if (refusal || !live) throw refusal ?? notRunning(row);
		if (next?.to === "cloud") requireWithinTokenLimit(ctx.actor, [row.spec]);
		await tx.update(attempt).set({ moveRequest: next }).where(eq(attempt.id, live.id));
		await writeAudit(tx, ctx, { action, subject: jobId, before: { to: live.moveRequest?.to ?? null }, after: { to: next?.to ?? null } });
		await notify(tx, { wake: true, changes: [{ topic: "job", id: jobId, team: row.team }] });
	});
}

async function moveProblem(tx: Tx, row: JobRow, live: AttemptRow | undefined, to: MoveDestination): Promise<SpillwayError | null> {
	if (!live || row.cancelRequestedAt) return notRunning(row);
	const busy = leavingProblem(row, live);
	if (busy) return busy;
	if (row.spec.checkpoint === null)
		return new SpillwayError("conflict", `Job ${row.id} saves no checkpoints, so it would start over.`, {
			fix: "Cancel it and submit it again, or wait for it to end.",
		});
	if (to === "home" && live.capacityType === "owned")
		return new SpillwayError("conflict", `Job ${row.id} already runs on owned GPUs.`, { fix: "Move it to the cloud, or leave it." });
	if (to === "home") return null;
	const [adopted] = await tx
		.select({ id: adoption.id })
		.from(adoption)
		.where(and(eq(adoption.jobId, row.id), isNull(adoption.endedAt)));
	if (!adopted) return null;
	return new SpillwayError("conflict", `Job ${row.id} belongs to a cluster's own queue and returns only there.`, { fix: "Move it home." });
}

function stayProblem(row: JobRow, live: AttemptRow | undefined): SpillwayError | null {
	if (!live) return notRunning(row);
	const busy = leavingProblem(row, live);
	if (busy) return busy;
	if (live.moveRequest) return null;
	return new SpillwayError("conflict", `No move of job ${row.id} was requested.`);
}

function leavingProblem({ id }: JobRow, { stopRequestedAt, movingTo }: AttemptRow): SpillwayError | null {
	if (!stopRequestedAt && !movingTo) return null;
	return new SpillwayError("conflict", `Job ${id} is already ${movingTo ? "moving" : "stopping"}.`, { fix: "See where it runs next." });
}

function notRunning(row: JobRow): SpillwayError {
	const state = row.cancelRequestedAt ? "being cancelled" : row.state;
	return new SpillwayError("conflict", `Job ${row.id} is ${state}; only running jobs move.`, {
		fix: "The scheduler places queued jobs where the policy allows.",
	});
}
