import { eq } from "drizzle-orm";
import { adoption } from "#server/db/schema/adoption.ts";
import { job } from "#server/db/schema/job.ts";
import { pipelineJob } from "#server/db/schema/pipeline.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { authorizeFound } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { noJob } from "#server/services/core/no-job.ts";
import { submitJob } from "./submit-one.ts";

/**
 * Submits a failed or cancelled job again, unchanged, as a new job of the caller.
 * @returns the id of the new job
 * @throws SpillwayError `not_found`, also for another team's job; `forbidden`; `conflict` when the job did not fail, belongs to a
 * pipeline or a cluster, or its deadline has passed; those of submitJob
 */
export async function retryJob(ctx: ServiceContext, jobId: string): Promise<{ id: string }> {
	const [row] = await ctx.db
		.select({ team: job.team, state: job.state, spec: job.spec, pipelineId: pipelineJob.pipelineId, adoptionId: adoption.id })
		.from(job)
		.leftJoin(pipelineJob, eq(pipelineJob.jobId, job.id))
		.leftJoin(adoption, eq(adoption.jobId, job.id))
		.where(eq(job.id, jobId));
	authorizeFound(ctx, "job:submit", row, () => noJob(jobId));
	if (!row) throw noJob(jobId);
	const refuse = (message: string, fix: string) => new SpillwayError("conflict", `Job ${jobId} ${message}`, { fix });
	if (row.state !== "failed" && row.state !== "cancelled")
		throw refuse(`is ${row.state}; only failed and cancelled jobs are retried.`, "Clone the job to run it again.");
	if (row.pipelineId !== null) throw refuse(`is a step of pipeline ${row.pipelineId}.`, "Retry the pipeline.");
	if (row.adoptionId !== null) throw refuse("belongs to a cluster's own queue.", "Submit it at its cluster.");
	if (row.spec.deadlineMs !== null && row.spec.deadlineMs <= ctx.clock.nowMs())
		throw refuse("has a deadline that has passed.", "Clone the job and set a new deadline.");
	return { id: await submitJob(ctx, row.spec) };
}
