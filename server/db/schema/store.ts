import { sql } from "drizzle-orm";
import { boolean, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { StoreConfig } from "../../domain/store.ts";
import { bigInt, durationMs, instant, json, microUsd } from "./columns.ts";

/** Where a team keeps results and checkpoints. Without a default one it uses the embedded store. */
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
		/** Storage price per GiB and month; null: none is charged. */
		microUsdPerGiBMonth: microUsd(),
		createdAt: instant().notNull(),
		/** The latest check, and what failed in it. */
		checkedAt: instant(),
		problem: text(),
		/** Removed stores keep their row: results refer to it. */
		removedAt: instant(),
	},
	(t) => [
		uniqueIndex("store_name").on(t.team, t.name).where(sql`${t.removedAt} is null`),
		uniqueIndex("store_default").on(t.team).where(sql`${t.removedAt} is null and ${t.isDefault}`),
	],
);

/** Limits of a team's results. */
export const storageLimit = pgTable("storage_limit", {
	team: text().primaryKey(),
	/** Bytes of all results that are kept; null: no limit. */
	quotaBytes: bigInt(),
	/** How long results without `keep` are kept; null: until deleted. */
	keepMs: durationMs(),
});
