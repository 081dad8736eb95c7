import { sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";

/**
 * Locks an email address until the transaction ends, so that an account that is added, provisioned or signed in for the first time
 * concurrently is found. Take it after all other locks of the transaction except row locks.
 */
export async function lockAddress(tx: Tx, email: string): Promise<void> {
	await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`account:${email.toLowerCase()}`}, 0))`);
}
