import { and, desc, eq, gt, inArray, isNull } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import type { PendingJob } from "#server/scheduling/types.ts";

/** Offers whose machine was taken back or never came up are left alone by that job for a while. */
export async function readAvoided(
	tx: Tx,
	jobIds: string[],
	nowMs: number,
	cooldownMs: number,
): Promise<Map<string, PendingJob["avoidOffers"]>> {
	const out = new Map<string, PendingJob["avoidOffers"]>();
	if (jobIds.length === 0) return out;
	const rows = await tx
		.select({ jobId: instance.jobId, offer: instance.offer, terminatedAt: instance.terminatedAt })
		.from(instance)
		.innerJoin(attempt, eq(attempt.id, instance.attemptId))
		.where(
			and(
				inArray(instance.jobId, jobIds),
				inArray(attempt.state, ["interrupted", "evicted", "lost"]),
				// A job that left by itself has nothing against the place.
				isNull(attempt.movingTo),
				gt(instance.terminatedAt, new Date(nowMs - cooldownMs)),
			),
		)
		.orderBy(desc(instance.terminatedAt));
	for (const row of rows) {
		if (!row.terminatedAt) continue;
		const list = out.get(row.jobId) ?? [];
		list.push({ offerId: row.offer.id, untilMs: row.terminatedAt.getTime() + cooldownMs });
		out.set(row.jobId, list);
	}
	return out;
}
