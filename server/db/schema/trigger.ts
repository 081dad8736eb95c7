import { bigint, boolean, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { FiringView } from "../../domain/trigger/firing.ts";
import type { TriggerSpec } from "../../domain/trigger/trigger.ts";
import { instant, json } from "./columns.ts";
import { pipeline } from "./pipeline.ts";

/** Starts a pipeline on a schedule, when data arrives, when an event arrives or after another pipeline. */
export const trigger = pgTable(
	"trigger",
	{
		id: text().primaryKey(),
		name: text().notNull(),
		team: text().notNull(),
		spec: json<TriggerSpec>().notNull(),
		/** The sealed secret of a webhook; null for the other kinds. */
		sealedSecret: text(),
		enabled: boolean().notNull().default(true),
		createdBy: text().notNull(),
		/** Since when it watches its present source. */
		createdAt: instant().notNull(),
		deletedAt: instant(),
		/** Next check; null while disabled, and for webhooks. */
		nextCheckAt: instant(),
		checkedAt: instant(),
		/** Next time of the schedule. */
		nextAt: instant(),
		/** Why it did not fire at its last check, or the error of that check. */
		status: text(),
		failed: boolean().notNull().default(false),
	},
	(t) => [index("trigger_due").on(t.nextCheckAt), index("trigger_team").on(t.team, t.name)],
);

/** One firing. Its key is derived from what it observed, so that a repeated check violates its own primary key. */
export const triggerFiring = pgTable(
	"trigger_firing",
	{
		triggerId: text()
			.notNull()
			.references(() => trigger.id),
		key: text().notNull(),
		at: instant().notNull(),
		saw: json<FiringView>().notNull(),
		pipelineId: text().references(() => pipeline.id),
		/** Why no pipeline was started. */
		error: text(),
	},
	(t) => [primaryKey({ columns: [t.triggerId, t.key] }), index("trigger_firing_at").on(t.triggerId, t.at.desc())],
);

/** Objects at a trigger's location, with the firing that used this version. */
export const triggerObject = pgTable(
	"trigger_object",
	{
		triggerId: text()
			.notNull()
			.references(() => trigger.id),
		path: text().notNull(),
		/** Size and modification time: a changed version counts as a new object. */
		version: text().notNull(),
		bytes: bigint({ mode: "number" }).notNull(),
		seenAt: instant().notNull(),
		firing: text(),
	},
	(t) => [primaryKey({ columns: [t.triggerId, t.path] })],
);
