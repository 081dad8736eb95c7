import { sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";

/** UTC months in which the bill's lines begin. These can be more than its billing periods, since corrections apply to earlier months. */
export async function monthsOfBill(db: Db, billId: string): Promise<string[]> {
	const rows = await db.execute<{ month: string }>(sql`
		select distinct to_char(period_start at time zone 'UTC', 'YYYY-MM') as month from bill_line where bill_id = ${billId} order by 1`);
	return rows.map((row) => row.month);
}
