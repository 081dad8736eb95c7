import { sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import type { Reservation } from "#server/scheduling/types.ts";

/** Reservations of pipelines, by pending job. Cost: one read of the live reservations' pending jobs. */
export async function readReservations(tx: Tx): Promise<Map<string, Reservation>> {
	const rows = await tx.execute<{ jobId: string; pipelineId: string; budgetId: string; left: string }>(sql`
		select p.job_id as "jobId", h.pipeline_id as "pipelineId", h.budget_id as "budgetId", h.left_micro_usd::text as left
		from pipeline_hold h join pipeline_job p on p.pipeline_id = h.pipeline_id join job on job.id = p.job_id
		where h.left_micro_usd > 0 and job.state in ('queued', 'held') order by p.job_id, h.budget_id`);
	const byJob = Map.groupBy(rows, ({ jobId }) => jobId);
	return new Map(
		[...byJob].map(([jobId, own]) => [
			jobId,
			{
				pipelineId: own[0]?.pipelineId ?? "",
				leftMicroUsd: Object.fromEntries(own.map(({ budgetId, left }) => [budgetId, BigInt(left)])),
			},
		]),
	);
}
