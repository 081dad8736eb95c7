import { and, eq, isNull } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { storageLimit, store } from "#server/db/schema/store.ts";
import { SpillwayError } from "#server/kernel/errors.ts";

export type StoreRow = typeof store.$inferSelect;

/** The store for a team's new results and checkpoints; null for the embedded one. */
export async function defaultStore(db: DbOrTx, team: string): Promise<StoreRow | null> {
	const [row] = await db
		.select()
		.from(store)
		.where(and(eq(store.team, team), store.isDefault, isNull(store.removedAt)));
	return row ?? null;
}

/** A store by its id, including removed ones: their content stays readable. */
export async function storeById(db: DbOrTx, id: string): Promise<StoreRow> {
	const [row] = await db.select().from(store).where(eq(store.id, id));
	if (!row) throw storeNotFound(id);
	return row;
}

export function storeNotFound(id: string): SpillwayError {
	return new SpillwayError("not_found", `There is no store ${id}.`, { fix: "List stores with: spillway stores ls" });
}

export interface StorageLimits {
	quotaBytes: bigint | null;
	keepMs: number | null;
}

export async function limitsOf(db: DbOrTx, team: string): Promise<StorageLimits> {
	const [row] = await db.select().from(storageLimit).where(eq(storageLimit.team, team));
	return { quotaBytes: row?.quotaBytes ?? null, keepMs: row?.keepMs ?? null };
}
