import { sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";

/** Locks a limit until the transaction ends, so that concurrent requests that count before they insert cannot pass it together. */
export async function lockLimit(tx: Tx, limit: string): Promise<void> {
	await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`limit:${limit}`}, 0))`);
}
