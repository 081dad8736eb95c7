import { sql } from "drizzle-orm";
import { boolean, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { StoreConfig } from "../../domain/store.ts";
import { bigInt, durationMs, instant, json, microUsd } from "./columns.ts";

/** Where a team keeps results and checkpoints. A team without a default store uses the embedded one. */
export const store = pgTable(
	"store",
	{
		id: text().primaryKey(),
		team: text().notNull(),
		name: text().notNull(),
		config: json<StoreConfig>().notNull(),
		/** Its credentials, sealed for this row. */
		sealedSecret: text(),
		/** New results and checkpoints of the team go here. */
		isDefault: boolean().notNull(),
		/** The price entered when it was added, kept for earlier programs: store_price has the current prices. */
		microUsdPerGiBMonth: microUsd(),
		createdAt: instant().notNull(),
		/** The latest check, and its error. */
		checkedAt: instant(),
		problem: text(),
		/** Removed stores keep their row, because results refer to it. */
		removedAt: instant(),
	},
	(t) => [
		uniqueIndex("store_name").on(t.team, t.name).where(sql`${t.removedAt} is null`),
		uniqueIndex("store_default").on(t.team).where(sql`${t.removedAt} is null and ${t.isDefault}`),
	],
);

/** Prices of a store from a point in time, until its next row. Rows are never changed. */
export const storePrice = pgTable(
	"store_price",
	{
		/** The store's id, or `embedded`. */
		storeId: text().notNull(),
		effectiveFrom: instant().notNull(),
		/** Per GiB (2^30 bytes) and calendar month; null: no price is set. */
		microUsdPerGiBMonth: microUsd(),
		/** Egress price per GiB; null: no price is set. */
		microUsdPerGiBEgress: microUsd(),
	},
	(t) => [primaryKey({ columns: [t.storeId, t.effectiveFrom] })],
);

/** Limits of a team's results. */
export const storageLimit = pgTable("storage_limit", {
	team: text().primaryKey(),
	/** Total bytes of stored results; null: no limit. */
	quotaBytes: bigInt(),
	/** How long results without `keep` are kept; null: until deleted. */
	keepMs: durationMs(),
});
