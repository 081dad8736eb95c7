import { sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";

/**
 * Holds an email address until the transaction ends, so that an account that is added, provisioned or signed in for the first time at
 * the same moment is found. Taken after every other lock of the transaction that is not of a row.
 */
export async function lockAddress(tx: Tx, email: string): Promise<void> {
	await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`account:${email.toLowerCase()}`}, 0))`);
}
