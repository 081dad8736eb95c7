import { sql } from "drizzle-orm";
import { index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { bytes, instant, json } from "./columns.ts";
import { upload } from "./upload.ts";

/** A business case: recorded demand, profiled and replayed with different capacity; a background job. */
export const planStudy = pgTable(
	"plan_study",
	{
		id: text().primaryKey(),
		/** Our own records, an uploaded trace, or one included with Spillway. */
		source: text({ enum: ["records", "upload", "open"] }).notNull(),
		name: text().notNull(),
		/** The bytes of an uploaded file, base64; deleted when the study is finished. */
		trace: text(),
		/** A file that was uploaded before; deleted likewise. */
		uploadId: text().references(() => upload.id, { onDelete: "set null" }),
		settings: json<Record<string, unknown>>().notNull(),
		state: text({ enum: ["queued", "running", "done", "failed", "cancelled"] })
			.notNull()
			.default("queued"),
		progressPermille: integer().notNull().default(0),
		/** PlanAssessment and PlanComparison (server/plan), read without validation because only the worker writes them. */
		result: json<unknown>(),
		/** Demand by team and class (server/plan/profile/demand-groups.ts); null before it is read, and in studies of earlier releases. */
		demandGroups: bytes(),
		error: text(),
		createdAt: instant().notNull(),
		createdBy: text().notNull(),
		startedAt: instant(),
		finishedAt: instant(),
		/** Heartbeat of the worker; after a long silence the study is restarted. */
		heartbeatAt: instant(),
	},
	(t) => [
		index("plan_study_pending").on(t.createdAt).where(sql`${t.state} in ('queued', 'running')`),
		index("plan_study_created").on(t.createdAt.desc().nullsFirst()),
	],
);
