import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { ForeignJob, ForeignOutcome } from "../../domain/foreign-job.ts";
import { instant, json } from "./columns.ts";
import { adoptionState } from "./enums.ts";
import { job } from "./job.ts";
import { site } from "./site.ts";

/** A job of a site's own queue and the job of ours that may run in its place. Its id is the mark of the hold at the site. */
export const adoption = pgTable(
	"adoption",
	{
		id: text().primaryKey(),
		siteId: text()
			.notNull()
			.references(() => site.id),
		foreignId: text().notNull(),
		jobId: text()
			.notNull()
			.references(() => job.id),
		state: adoptionState().notNull().default("offered"),
		/** As it was when it was offered. */
		facts: json<ForeignJob>().notNull(),
		/** The rule of the policy that allowed it. */
		ruleId: text().notNull(),
		policyVersion: integer().notNull(),
		/** What was taken over. */
		script: text().notNull(),
		/** Why it goes back, or ended; a closed code of server/domain/adoption.ts. */
		why: text(),
		outcome: json<ForeignOutcome | null>(),
		/** Files at home that hold what it printed, and the folder there that holds its checkpoint; and why some are missing. */
		output: json<{ files: string[]; problem: string | null } | null>(),
		/** What the site answered to the last call that failed; null after one that did not. */
		problem: text(),
		offeredAt: instant().notNull(),
		heldAt: instant(),
		/** When its run in the cloud is to stop, because home has room for it: its next checkpoint. */
		returnAt: instant(),
		endedAt: instant(),
	},
	(t) => [
		uniqueIndex("adoption_job").on(t.jobId),
		uniqueIndex("adoption_live").on(t.siteId, t.foreignId).where(sql`${t.endedAt} is null`),
		index("adoption_foreign").on(t.siteId, t.foreignId),
		check("adoption_ended_iff_final", sql`(${t.state} in ('released','finished','abandoned')) = (${t.endedAt} is not null)`),
		check("adoption_outcome", sql`${t.state} not in ('finishing','finished') or ${t.outcome} is not null`),
	],
);
