import { sql } from "drizzle-orm";
import { index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { attempt } from "./attempt.ts";
import { instant, microUsd } from "./columns.ts";
import { job } from "./job.ts";

/** Slots of an owned pool held by one attempt: the owned side's counterpart of an instance. */
export const allocation = pgTable(
	"allocation",
	{
		id: text().primaryKey(),
		attemptId: text()
			.notNull()
			.references(() => attempt.id),
		jobId: text()
			.notNull()
			.references(() => job.id),
		siteId: text().notNull(),
		poolId: text().notNull(),
		slots: integer().array().notNull(),
		microUsdPerGpuHour: microUsd().notNull(),
		startedAt: instant().notNull(),
		endedAt: instant(),
		meteredUntil: instant(),
	},
	(t) => [
		uniqueIndex("allocation_attempt").on(t.attemptId),
		index("allocation_open").on(t.poolId).where(sql`${t.endedAt} is null`),
		index("allocation_unmetered")
			.on(t.id)
			.where(sql`${t.endedAt} is null or ${t.meteredUntil} is null or ${t.meteredUntil} <> ${t.endedAt}`),
		index("allocation_times").on(t.poolId, t.startedAt),
		/** The latest ended ones, to compute how much of a pool was held in the last hours. */
		index("allocation_ended").on(t.endedAt),
	],
);
