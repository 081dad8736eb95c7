import { eq, sql } from "drizzle-orm";
import { notify } from "#server/db/notify.ts";
import { job } from "#server/db/schema/job.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorizeFound } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { noJob } from "#server/services/core/no-job.ts";
import { recordEvents } from "#server/services/notification/event/record.ts";
import { requireWithinTokenLimit } from "./token-limit.ts";
import type { JobRow } from "./view.ts";

/** The scheduler neither sees nor changes jobs held by a person. */
export const notHeldByPerson = sql`not (${job.state} = 'held' and ${job.reason}->>'code' = 'held_by_person')`;

const isHeldByPerson = ({ state, reason: { code } }: Pick<JobRow, "state" | "reason">) => state === "held" && code === "held_by_person";

/**
 * Keeps a waiting job out of the queue until a person releases it.
 * @throws SpillwayError `not_found`, also for another team's job; `forbidden`; `conflict` when it no longer waits or is held already
 */
export async function holdJob(ctx: ServiceContext, jobId: string): Promise<void> {
	const by = ctx.actor.kind === "person" ? ctx.actor.name : actorName(ctx.actor);
	const why = reason("held_by_person", { by });
	await changeHold(ctx, jobId, { action: "job.hold", state: "held", reason: why, refuses: holdProblem });
}

/**
 * Returns a job held by a person to the queue. Its waiting time continues from before.
 * @throws SpillwayError `not_found`, also for another team's job; `forbidden`; `conflict` when no person holds it
 */
export async function releaseJob(ctx: ServiceContext, jobId: string): Promise<void> {
	await changeHold(ctx, jobId, { action: "job.release", state: "queued", reason: reason("submitted"), refuses: releaseProblem });
}

interface Change {
	action: "job.hold" | "job.release";
	state: "held" | "queued";
	reason: Reason;
	refuses: (row: JobRow) => SpillwayError | null;
}

async function changeHold(ctx: ServiceContext, jobId: string, { action, state, reason: why, refuses }: Change): Promise<void> {
	await ctx.db.transaction(async (tx) => {
		const [row] = await tx.select().from(job).where(eq(job.id, jobId)).for("update");
		authorizeFound(ctx, "job:cancel", row, () => noJob(jobId));
		if (!row) throw noJob(jobId);
		const refusal = refuses(row);
		if (refusal) throw refusal;
		if (state === "queued") requireWithinTokenLimit(ctx.actor, [row.spec]);
		await tx.update(job).set({ state, reason: why, forecast: null }).where(eq(job.id, jobId));
		if (state === "held") await recordEvents(tx, [{ kind: "job_held", atMs: ctx.clock.nowMs(), jobId, team: row.team, reason: why }]);
		await writeAudit(tx, ctx, { action, subject: jobId, before: { state: row.state, reason: row.reason }, after: { state } });
		await notify(tx, { wake: true, changes: [{ topic: "job", id: jobId, team: row.team }] });
	});
}

function holdProblem(row: JobRow): SpillwayError | null {
	if (isHeldByPerson(row)) return new SpillwayError("conflict", `Job ${row.id} is already held.`, { fix: "Release it to let it start." });
	if ((row.state === "queued" || row.state === "held") && !row.cancelRequestedAt) return null;
	return new SpillwayError(
		"conflict",
		`Job ${row.id} is ${row.cancelRequestedAt ? "being cancelled" : row.state}; it is not in the queue.`,
		{
			fix: "Hold queued jobs only; cancel running ones.",
		},
	);
}

function releaseProblem(row: JobRow): SpillwayError | null {
	if (isHeldByPerson(row)) return null;
	return new SpillwayError("conflict", `Job ${row.id} is not held by a person.`, { fix: "See the job's reason for what it waits for." });
}
