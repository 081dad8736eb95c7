import { and, gt, inArray, isNull, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { adoption } from "#server/db/schema/adoption.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { foreignJob } from "#server/db/schema/foreign-job.ts";
import { pool } from "#server/db/schema/site.ts";
import { waitsForLimit } from "#server/domain/foreign-job.ts";

/**
 * Pools that a job cannot use now, by job: those on a site that recently had no room or no share for it; and for an adopted job every pool
 * except the one it waits for in its cluster, and that pool too while only a limit keeps it waiting.
 */
export async function readRefusedPools(
	tx: Tx,
	{ tried, nowMs, cooldownMs }: { tried: string[]; nowMs: number; cooldownMs: number },
): Promise<Map<string, string[]>> {
	const out = new Map<string, string[]>();
	const refused = await readRefusals(tx, tried, new Date(nowMs - cooldownMs));
	for (const { jobId, poolId } of refused) out.set(jobId, [...new Set([...(out.get(jobId) ?? []), poolId])].sort());
	const adopted = await tx
		.select({ jobId: adoption.jobId, siteId: adoption.siteId, poolId: sql<string>`${adoption.facts}->>'poolId'`, now: foreignJob.facts })
		.from(adoption)
		.leftJoin(foreignJob, and(sql`${foreignJob.siteId} = ${adoption.siteId}`, sql`${foreignJob.id} = ${adoption.foreignId}`))
		.where(isNull(adoption.endedAt));
	if (adopted.length === 0) return out;
	const pools = await tx.select({ id: pool.id, siteId: pool.siteId }).from(pool);
	for (const { jobId, siteId, poolId, now } of adopted) {
		const barred = now?.state === "waiting" && waitsForLimit(now.waitingReason);
		const not = pools.filter((p) => barred || p.siteId !== siteId || p.id !== poolId).map((p) => p.id);
		out.set(jobId, not.sort());
	}
	return out;
}

async function readRefusals(tx: Tx, tried: string[], since: Date): Promise<{ jobId: string; poolId: string }[]> {
	if (tried.length === 0) return [];
	return tx
		.select({ jobId: attempt.jobId, poolId: sql<string>`${attempt.placement}->>'poolId'` })
		.from(attempt)
		.where(
			and(
				inArray(attempt.jobId, tried),
				gt(attempt.finishedAt, since),
				sql`${attempt.placement}->>'poolId' is not null`,
				sql`${attempt.reason}->>'code' in ('launch_refused_capacity', 'launch_refused_quota')`,
			),
		);
}
