import { integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { instant, microUsd } from "./columns.ts";
import { capacityType, provider } from "./enums.ts";

/**
 * A machine that the database had no record of after a restore, and that a person kept. It runs a job that Spillway does not
 * follow, but its cost is charged. Its id is the `instanceId` of its charges.
 */
export const keptMachine = pgTable(
	"kept_machine",
	{
		id: text().primaryKey(),
		siteId: text().notNull(),
		provider: provider().notNull(),
		providerInstanceId: text().notNull(),
		region: text().notNull(),
		zone: text(),
		instanceType: text().notNull(),
		capacityType: capacityType().notNull(),
		accelerator: text().notNull(),
		gpus: integer().notNull(),
		/** Null if no offer of this type has a price: its time is then charged at 0. */
		microUsdPerHour: microUsd(),
		listMicroUsdPerHour: microUsd(),
		/** The job that it was launched for, if this database has it. */
		jobId: text(),
		keptBy: text().notNull(),
		keptAt: instant().notNull(),
		launchedAt: instant().notNull(),
		/** When a person released it: the next sweep terminates it. */
		releasedBy: text(),
		releasedAt: instant(),
		/** When a sweep no longer found it. */
		endedAt: instant(),
		meteredUntil: instant(),
		costMicroUsd: microUsd().notNull(),
	},
	(t) => [uniqueIndex("kept_machine_provider_id").on(t.siteId, t.providerInstanceId)],
);
