import { sql } from "drizzle-orm";
import { index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { instant, json } from "./columns.ts";

/** A business case: a history profiled and replayed with other capacity; a background job. */
export const planStudy = pgTable(
	"plan_study",
	{
		id: text().primaryKey(),
		/** Our own records, an uploaded trace, or one that comes with Spillway. */
		source: text({ enum: ["records", "upload", "open"] }).notNull(),
		name: text().notNull(),
		/** An uploaded file's bytes, base64; deleted when the study is over. */
		trace: text(),
		settings: json<Record<string, unknown>>().notNull(),
		state: text({ enum: ["queued", "running", "done", "failed", "cancelled"] })
			.notNull()
			.default("queued"),
		progressPermille: integer().notNull().default(0),
		/** PlanAssessment and PlanComparison (server/plan), parsed by no one: only the worker writes it. */
		result: json<unknown>(),
		error: text(),
		createdAt: instant().notNull(),
		createdBy: text().notNull(),
		startedAt: instant(),
		finishedAt: instant(),
		/** The worker is alive; one that was silent for long is started again. */
		heartbeatAt: instant(),
	},
	(t) => [
		index("plan_study_pending").on(t.createdAt).where(sql`${t.state} in ('queued', 'running')`),
		index("plan_study_created").on(t.createdAt.desc().nullsFirst()),
	],
);
