import { lt, sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { rateWindow } from "#server/db/schema/account.ts";

export interface WindowLimit {
	key: string;
	/** Attempts allowed in a window. */
	limit: number;
	windowMs: number;
}

const KEY_MAX = 400;

/** Counts one attempt in a fixed window and returns whether it is within the limit. Atomic across replicas. */
export async function countAttempt(db: DbOrTx, { key, limit, windowMs }: WindowLimit, nowMs: number): Promise<boolean> {
	const now = new Date(nowMs);
	const oldest = new Date(nowMs - windowMs);
	const isOver = sql`${rateWindow.startsAt} <= ${oldest.toISOString()}::timestamptz`;
	const [row] = await db
		.insert(rateWindow)
		.values({ key: key.slice(0, KEY_MAX), count: 1, startsAt: now })
		.onConflictDoUpdate({
			target: rateWindow.key,
			set: {
				// Capped, so that an endless attack cannot overflow the column.
				count: sql`case when ${isOver} then 1 else least(${rateWindow.count} + 1, 1000000) end`,
				startsAt: sql`case when ${isOver} then ${now.toISOString()}::timestamptz else ${rateWindow.startsAt} end`,
			},
		})
		.returning({ count: rateWindow.count });
	return (row?.count ?? 1) <= limit;
}

/** Deletes expired windows. */
export async function deleteOldWindows(db: DbOrTx, windowMs: number, nowMs: number): Promise<void> {
	await db.delete(rateWindow).where(lt(rateWindow.startsAt, new Date(nowMs - windowMs)));
}
