import { sql } from "drizzle-orm";
import { bucketStartMs, nextBucketStartMs } from "#server/accounting/calendar.ts";
import type { LedgerContext } from "./context.ts";

/**
 * Makes the partitions of charges for this UTC month and the next, where they are missing, so that at the turn of a month no
 * charge waits for another's to make it, and a database that refuses to make tables says so weeks before. A charge of any
 * other month makes its own (post-charges.ts). Any number may do this at once.
 */
export async function makeMonthsAhead({ db, clock }: LedgerContext): Promise<void> {
	const thisMonthMs = bucketStartMs("month", clock.nowMs());
	for (const monthMs of [thisMonthMs, nextBucketStartMs("month", thisMonthMs)])
		await db.execute(sql`select spillway_charge_month(${new Date(monthMs).toISOString()}::timestamptz)`);
}
