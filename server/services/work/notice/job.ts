import { and, eq, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { job } from "#server/db/schema/job.ts";
import { pipeline, pipelineJob } from "#server/db/schema/pipeline.ts";
import { RECLAIMED_TIMES, type WorkEvent } from "#server/domain/notice.ts";
import type { Reason } from "#server/domain/reasons.ts";
import { sentenceOf } from "#server/domain/sentences.ts";
import type { JobState } from "#server/domain/states.ts";
import { SECOND_MS } from "#server/kernel/units.ts";
import { recordNotice } from "#server/services/notification/notice/record.ts";

/**
 * Records an event of a job for its submitter and for channels. For the end of a job in a pipeline, only the pipeline notifies: a sweep of
 * two hundred jobs ends once.
 */
export async function recordJobNotice(
	tx: Tx,
	{ jobId, event, why, occurrence, nowMs }: { jobId: string; event: WorkEvent; why: string | null; occurrence?: string; nowMs: number },
): Promise<void> {
	const [row] = await tx
		.select({
			...{ name: job.name, team: job.team, submittedBy: job.submittedBy, startedAt: job.startedAt },
			...{ synthetic: job.synthetic, pipeline: pipeline.name, notify: sql<WorkEvent[] | null>`${job.spec}->'notify'` },
		})
		.from(job)
		.leftJoin(pipelineJob, eq(pipelineJob.jobId, job.id))
		.leftJoin(pipeline, eq(pipeline.id, pipelineJob.pipelineId))
		.where(eq(job.id, jobId));
	if (!row || row.synthetic) return;
	const isEnd = event === "finished" || event === "failed";
	if (isEnd && row.pipeline !== null) return;
	const ranMs = isEnd && row.startedAt ? Math.floor((nowMs - row.startedAt.getTime()) / SECOND_MS) * SECOND_MS : null;
	await recordNotice(tx, {
		...{ event, work: { kind: "Job", id: jobId, name: row.name, team: row.team, ranMs, why } },
		...{
			submittedBy: row.submittedBy,
			notify: row.notify ?? undefined,
			pipeline: row.pipeline,
			nowMs,
			...(occurrence !== undefined && { occurrence }),
		},
	});
}

/**
 * Called after an attempt ended: records that the job finished, failed, or was reclaimed for the second time. A cancelled job notifies no
 * one.
 */
export async function recordEndNotice(tx: Tx, input: { jobId: string; state: JobState; reason: Reason; nowMs: number }): Promise<void> {
	const { jobId, state, nowMs } = input;
	const why = sentenceOf(input.reason);
	if (state === "succeeded") await recordJobNotice(tx, { jobId, event: "finished", why: null, nowMs });
	if (state === "failed") await recordJobNotice(tx, { jobId, event: "failed", why, nowMs });
	if (state !== "queued" || input.reason.code !== "spot_interruption") return;
	const times = await tx.$count(attempt, and(eq(attempt.jobId, jobId), eq(attempt.state, "interrupted")));
	if (times === RECLAIMED_TIMES) await recordJobNotice(tx, { jobId, event: "reclaimed", why, nowMs });
}
