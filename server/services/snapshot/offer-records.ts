import { asc, gt, or, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { instance } from "#server/db/schema/instance.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { emptyRecord, withHours, withInterruption, withLaunch, withRefusal } from "#server/scheduling/records.ts";
import type { OfferRecord } from "#server/scheduling/types.ts";

/** How far back launches say anything about an offer; older ones have faded by their half-lives anyway. */
const LOOK_BACK_MS = 30 * DAY_MS;

/**
 * How offers behaved, by offer id, from our own instances of 30 days: their hours, what was taken back, what was refused
 * and what came up. The pause after a refusal is the offer's own row's (offer/backoff.ts), and is not repeated here.
 * Cost: one scan of those instances; the caller keeps the answer for a minute.
 */
export async function offerRecords(db: Db, nowMs: number): Promise<Map<string, OfferRecord>> {
	const since = new Date(nowMs - LOOK_BACK_MS);
	const rows = await db
		.select({
			offerId: sql<string>`${instance.offer}->>'id'`,
			launchedAt: instance.launchedAt,
			terminatedAt: instance.terminatedAt,
			code: sql<string | null>`${instance.reason}->>'code'`,
		})
		.from(instance)
		.where(or(gt(instance.terminatedAt, since), sql`${instance.state} <> 'terminated'`))
		.orderBy(asc(instance.intendedAt), asc(instance.id));
	const steps = rows.flatMap((row) => stepsOf(row, nowMs)).sort((a, b) => a.atMs - b.atMs);
	const records = new Map<string, OfferRecord>();
	for (const { offerId, atMs, apply } of steps) records.set(offerId, apply(records.get(offerId) ?? emptyRecord(atMs)));
	for (const [id, { backoffUntilMs: _, ...record }] of records) records.set(id, record);
	return records;
}

interface Step {
	offerId: string;
	atMs: number;
	apply: (record: OfferRecord) => OfferRecord;
}

/** What one instance adds, at the times at which it became known. */
function stepsOf(row: { offerId: string; launchedAt: Date | null; terminatedAt: Date | null; code: string | null }, nowMs: number): Step[] {
	const { offerId } = row;
	const launchedMs = row.launchedAt?.getTime() ?? null;
	const endMs = row.terminatedAt?.getTime() ?? nowMs;
	if (launchedMs === null) {
		const refused = row.code === "launch_refused_capacity" || row.code === "launch_refused_quota";
		return refused ? [{ offerId, atMs: endMs, apply: (record) => withRefusal(record, endMs) }] : [];
	}
	const hours = Math.max(0, endMs - launchedMs) / HOUR_MS;
	return [
		{ offerId, atMs: launchedMs, apply: (record) => withLaunch(record, launchedMs) },
		{
			offerId,
			atMs: endMs,
			apply: (record) => {
				const ran = withHours(record, hours, endMs);
				return row.code === "spot_interruption" ? withInterruption(ran, endMs) : ran;
			},
		},
	];
}
