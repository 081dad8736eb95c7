import { sql } from "drizzle-orm";
import { bucketStartMs, nextBucketStartMs } from "#server/accounting/calendar.ts";
import type { LedgerContext } from "./context.ts";

/**
 * Creates missing partitions of charges for this UTC month and the next. Charges then need not wait for a partition at the start of a
 * month, and a database that refuses to create tables fails weeks earlier. A charge in any other month creates its own partition
 * (post-charges.ts). Safe to run concurrently.
 */
export async function createMonthsAhead({ db, clock }: LedgerContext): Promise<void> {
	const thisMonthMs = bucketStartMs("month", clock.nowMs());
	for (const monthMs of [thisMonthMs, nextBucketStartMs("month", thisMonthMs)])
		await db.execute(sql`select spillway_charge_month(${new Date(monthMs).toISOString()}::timestamptz)`);
}
