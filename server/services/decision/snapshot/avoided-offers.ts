import { and, desc, eq, gt, inArray, isNotNull, isNull, ne, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { offer } from "#server/db/schema/offer.ts";
import type { PendingJob } from "#server/scheduling/types.ts";

/**
 * A job avoids offers for a while after their machine was reclaimed or never came up, and a whole region while
 * a fenced machine of the job was not seen to end there: a region that does not answer is unlikely to work for a new launch.
 */
export async function readAvoided(
	tx: Tx,
	jobIds: string[],
	nowMs: number,
	cooldownMs: number,
): Promise<Map<string, PendingJob["avoidOffers"]>> {
	const out = new Map<string, PendingJob["avoidOffers"]>();
	if (jobIds.length === 0) return out;
	const rows = await tx
		.select({ jobId: attempt.jobId, offer: instance.offer, terminatedAt: instance.terminatedAt })
		.from(instance)
		.innerJoin(attempt, eq(attempt.id, instance.attemptId))
		.where(
			and(
				inArray(instance.jobId, jobIds),
				inArray(attempt.state, ["interrupted", "evicted", "lost"]),
				// A job that left by itself is no evidence against the place.
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
	for (const { jobId, ...avoided } of await readLostRegions(tx, jobIds)) out.set(jobId, [...(out.get(jobId) ?? []), avoided]);
	return out;
}

/** No machine outlives its expiry, so even a region that never responds again is avoided no longer than that. */
async function readLostRegions(tx: Tx, jobIds: string[]): Promise<(PendingJob["avoidOffers"][number] & { jobId: string })[]> {
	const rows = await tx
		.select({ jobId: sql<string>`${instance.jobId}`, offerId: offer.id, expiresAt: instance.expiresAt })
		.from(instance)
		.innerJoin(offer, and(eq(offer.siteId, instance.siteId), eq(offer.region, instance.region)))
		.where(and(inArray(instance.jobId, jobIds), isNotNull(instance.fencedAt), ne(instance.state, "terminated")))
		.orderBy(instance.id, offer.id);
	return rows.map(({ expiresAt, ...row }) => ({ ...row, untilMs: expiresAt.getTime() }));
}
