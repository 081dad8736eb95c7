import { sql } from "drizzle-orm";
import { index, integer, pgTable, text } from "drizzle-orm/pg-core";
import type { Explanation } from "../../domain/decision.ts";
import { instant, json } from "./columns.ts";
import { job } from "./job.ts";

/** Insert-only: what was considered for a job, and why. */
export const decision = pgTable(
	"decision",
	{
		id: text().primaryKey(),
		jobId: text()
			.notNull()
			.references(() => job.id),
		decidedAt: instant().notNull(),
		/** Number of the resulting attempt, null when the job stayed. */
		attemptNumber: integer(),
		policyName: text().notNull(),
		policyVersion: integer().notNull(),
		explanation: json<Explanation>().notNull(),
		/** The decision_part that lists the cycle's inputs (services/explain); null in rows from before they were kept. */
		inputHash: text(),
	},
	(t) => [
		index("decision_job").on(t.jobId, t.decidedAt.desc().nullsFirst()),
		// For retention: decisions that placed a job are kept.
		index("decision_stayed").on(t.decidedAt).where(sql`${t.attemptNumber} is null`),
	],
);
