import { and, desc, eq, gt, inArray, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { job } from "#server/db/schema/job.ts";
import { FRUITLESS_MAX } from "#server/domain/outcome.ts";
import type { ReasonCode } from "#server/domain/reasons.ts";
import type { FruitlessAttempts } from "#server/scheduling/types.ts";

/** Ends caused by the place. Work that Spillway moved or evicted is no evidence of whether the job can finish. */
const LOST_TO_PLACE: readonly ReasonCode[] = [
	"spot_interruption",
	"instance_vanished",
	"instance_expired",
	"instance_not_ready_in_time",
	"agent_silent",
];

/**
 * Jobs with cloud attempts that all ended early without a checkpoint: at least FRUITLESS_MAX in a row since a person last let the job
 * continue. Attempts without a machine, and those that Spillway ended itself, are skipped.
 * @param tried jobs with enough attempts to qualify
 */
export async function readFruitless(tx: Tx, tried: readonly string[]): Promise<Map<string, FruitlessAttempts>> {
	const out = new Map<string, FruitlessAttempts>();
	if (tried.length === 0) return out;
	const rows = await tx
		.select({
			jobId: attempt.jobId,
			code: sql<string | null>`${attempt.reason}->>'code'`,
			capacityType: attempt.capacityType,
			createdAt: attempt.createdAt,
			finishedAt: attempt.finishedAt,
			costMicroUsd: attempt.costMicroUsd,
			saved: sql<boolean>`exists (select from checkpoint where checkpoint.attempt_id = ${attempt.id} and checkpoint.job_id = ${attempt.jobId})`,
			launched: sql<boolean>`exists (select from instance where instance.attempt_id = ${attempt.id} and instance.launched_at is not null)`,
		})
		.from(attempt)
		.innerJoin(job, eq(job.id, attempt.jobId))
		.where(and(inArray(attempt.jobId, [...tried]), gt(attempt.number, job.resumedAfterAttempt)))
		.orderBy(attempt.jobId, desc(attempt.number));
	for (const [jobId, attempts] of Map.groupBy(rows, (row) => row.jobId)) {
		const streak = attempts.slice(0, firstSaving(attempts)).filter(isFruitless);
		if (streak.length < FRUITLESS_MAX) continue;
		out.set(jobId, {
			attempts: streak.length,
			lostMs: streak.reduce((sum, { createdAt, finishedAt }) => sum + ((finishedAt ?? createdAt).getTime() - createdAt.getTime()), 0),
			lostMicroUsd: streak.reduce((sum, { costMicroUsd }) => sum + costMicroUsd, 0n),
		});
	}
	return out;
}

function firstSaving(attempts: readonly { saved: boolean }[]): number {
	const index = attempts.findIndex(({ saved }) => saved);
	return index < 0 ? attempts.length : index;
}

function isFruitless({ code, capacityType, launched }: { code: string | null; capacityType: string; launched: boolean }): boolean {
	return capacityType !== "owned" && launched && LOST_TO_PLACE.some((lost) => lost === code);
}
