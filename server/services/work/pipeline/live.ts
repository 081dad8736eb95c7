import { sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";

/** Whether any pipeline is running or being cancelled; without one, a cycle has no pipeline work. Cost: one read by index. */
export async function hasLivePipeline(db: Db): Promise<boolean> {
	const [row] = await db.execute<{ live: boolean }>(
		sql`select exists (select from pipeline where state in ('running', 'cancelling')) as live`,
	);
	return row?.live === true;
}
