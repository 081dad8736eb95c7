import { asc, gt, or, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { instance } from "#server/db/schema/instance.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { recordsOfLaunches, type SeenLaunch } from "#server/scheduling/records-of-launches.ts";
import type { OfferRecord } from "#server/scheduling/types.ts";

/** How far back launches are evidence about an offer; older ones have faded by their half-lives anyway. */
const LOOK_BACK_MS = 30 * DAY_MS;

/**
 * How offers behaved, by offer id, from our own instances of 30 days: hours, reclaims, refusals and successful launches, and for spot how
 * long it stayed up and down. The pause after a refusal is in the offer's row (offer/backoff.ts), and is not repeated here. Cost: one scan
 * of those instances; the caller caches the answer for a minute.
 */
export async function offerRecords(db: Db, nowMs: number): Promise<Map<string, OfferRecord>> {
	const since = new Date(nowMs - LOOK_BACK_MS);
	const rows = await db
		.select({
			offerId: sql<string>`${instance.offer}->>'id'`,
			capacityType: instance.capacityType,
			launchedAt: instance.launchedAt,
			terminatedAt: instance.terminatedAt,
			code: sql<string | null>`${instance.reason}->>'code'`,
		})
		.from(instance)
		.where(or(gt(instance.terminatedAt, since), sql`${instance.state} <> 'terminated'`))
		.orderBy(asc(instance.intendedAt), asc(instance.id));
	const launches = rows.map(
		(row): SeenLaunch => ({
			offerId: row.offerId,
			isSpot: row.capacityType === "spot",
			launchedAtMs: row.launchedAt?.getTime() ?? null,
			endedAtMs: row.terminatedAt?.getTime() ?? null,
			end: ENDS[row.code ?? ""] ?? "other",
		}),
	);
	const records = recordsOfLaunches(launches, nowMs);
	for (const [id, { backoffUntilMs: _, ...record }] of records) records.set(id, record);
	return records;
}

const ENDS: Readonly<Record<string, SeenLaunch["end"]>> = {
	spot_interruption: "interrupted",
	launch_refused_capacity: "refused",
	launch_refused_quota: "over_quota",
};
