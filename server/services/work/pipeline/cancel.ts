import { and, eq, inArray, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { job } from "#server/db/schema/job.ts";
import { pipeline, pipelineRun } from "#server/db/schema/pipeline.ts";
import { LIVE_JOB_STATES, type PipelineState } from "#server/domain/states.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorizeFound } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext, systemContext } from "#server/services/core/context.ts";
import { cancelJob } from "../job/cancel.ts";
import { noPipeline } from "./readable.ts";

/**
 * Cancels a pipeline: no further run starts, and the scheduler stops its jobs. Cancelling again changes nothing.
 * @throws SpillwayError `not_found`, also for another team's pipeline; `forbidden`; `conflict` when it has ended.
 */
export async function cancelPipeline(ctx: ServiceContext, id: string): Promise<{ id: string; state: PipelineState }> {
	return ctx.db.transaction(async (tx) => {
		const [row] = await tx.select().from(pipeline).where(eq(pipeline.id, id)).for("update");
		authorizeFound(ctx, "job:cancel", row, () => noPipeline(id));
		if (!row) throw noPipeline(id);
		if (row.state === "cancelling") return { id, state: row.state };
		if (row.state !== "running")
			throw new SpillwayError("conflict", `Pipeline ${id} has already ended: ${row.state}.`, { fix: "There is nothing to cancel." });
		await tx
			.update(pipeline)
			.set({ state: "cancelling", cancelRequestedBy: actorName(ctx.actor) })
			.where(eq(pipeline.id, id));
		await writeAudit(tx, ctx, { action: "pipeline.cancel", subject: id, before: { state: row.state }, after: { state: "cancelling" } });
		await notify(tx, { wake: true, changes: [{ topic: "pipeline", id, team: row.team }] });
		return { id, state: "cancelling" as const };
	});
}

/** Jobs stopped per call. */
const STOPPED_PER_CALL = 100;

/** Stops jobs of pipelines that are being cancelled. Call it until none is left. Returns how many jobs were asked to stop. */
export async function stopCancelledJobs(db: Db, clock: Clock): Promise<number> {
	const rows = await db
		.select({ jobId: job.id })
		.from(pipeline)
		.innerJoin(pipelineRun, and(eq(pipelineRun.pipelineId, pipeline.id), eq(pipelineRun.state, "submitted")))
		.innerJoin(job, eq(job.id, pipelineRun.jobId))
		.where(and(eq(pipeline.state, "cancelling"), inArray(job.state, [...LIVE_JOB_STATES]), sql`${job.cancelRequestedAt} is null`))
		.limit(STOPPED_PER_CALL);
	for (const { jobId } of rows) await cancelUnlessOver(db, clock, jobId);
	return rows.length;
}

async function cancelUnlessOver(db: Db, clock: Clock, jobId: string): Promise<void> {
	try {
		await cancelJob(systemContext(db, clock), jobId);
	} catch (error) {
		if (!(error instanceof SpillwayError && error.code === "conflict")) throw error;
	}
}
