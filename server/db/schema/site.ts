import { boolean, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant, json, microUsd } from "./columns.ts";
import { provider } from "./enums.ts";

export const site = pgTable("site", {
	id: text().primaryKey(),
	name: text().notNull(),
	provider: provider().notNull(),
	enabled: boolean().notNull().default(true),
	/** Non-secret settings of the driver (endpoint, regions); parsed by the driver's own schema. */
	settings: json<Record<string, unknown>>().notNull(),
	healthy: boolean().notNull().default(false),
	healthMessage: text(),
	lastSeenAt: instant(),
	/** Result of the newest sweep for orphans (clouds). */
	lastSweep: json<{
		atMs: number;
		regions: string[];
		failedRegions: { region: string; message: string }[];
		seen: number;
		owned: number;
		orphans: number;
	} | null>(),
	lastOrphanAt: instant(),
});

export const pool = pgTable(
	"pool",
	{
		id: text().notNull(),
		siteId: text()
			.notNull()
			.references(() => site.id),
		accelerator: text().notNull(),
		nodes: integer().notNull(),
		gpusPerNode: integer().notNull(),
		unavailableSlots: integer().array().notNull(),
		microUsdPerGpuHour: microUsd().notNull(),
		wattsPerGpu: integer().notNull(),
		/** When idle cost was last metered up to. */
		idleMeteredUntil: instant(),
		/** When the pool began to be owned by this ledger. */
		ownedSince: instant().notNull(),
	},
	(t) => [primaryKey({ columns: [t.siteId, t.id] })],
);
