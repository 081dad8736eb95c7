import { eq, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "#server/db/client.ts";
import { setting } from "#server/db/schema/setting.ts";

/**
 * Serializes changes of a setting until the transaction ends, even if it has no row yet. Take the lock before reading the value, so that
 * the second of two concurrent changes builds on the first and the audit log shows both in order.
 */
export async function lockSetting(tx: Tx, key: string): Promise<void> {
	await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`setting:${key}`}, 0))`);
}

/** The stored value of a setting, which cannot change until the transaction ends; undefined when it has none. */
export async function readLockedSetting(tx: Tx, key: string): Promise<unknown> {
	await lockSetting(tx, key);
	const [row] = await tx.select({ value: setting.value }).from(setting).where(eq(setting.key, key));
	return row?.value;
}

/** @param key locked by the caller */
export async function writeSetting(tx: DbOrTx, key: string, value: unknown): Promise<void> {
	await tx.insert(setting).values({ key, value }).onConflictDoUpdate({ target: setting.key, set: { value } });
}
