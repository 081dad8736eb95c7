import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { ForeignJob, ForeignOutcome } from "../../domain/foreign-job.ts";
import { instant, json } from "./columns.ts";
import { adoptionState } from "./enums.ts";
import { job } from "./job.ts";
import { site } from "./site.ts";

/** A job of a site's own queue and the Spillway job that may run in its place. Its id marks the hold at the site. */
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
		/** The site's job when it was offered. */
		facts: json<ForeignJob>().notNull(),
		/** The policy rule that allowed the adoption. */
		ruleId: text().notNull(),
		policyVersion: integer().notNull(),
		/** What was carried over. */
		script: text().notNull(),
		/** Why it returns or ended: a code of server/domain/imports/adoption.ts. */
		why: text(),
		outcome: json<ForeignOutcome | null>(),
		/** Output files and checkpoint folder at home, and why some are missing. */
		output: json<{ files: string[]; problem: string | null } | null>(),
		/** The site's error on the last call, if it failed. */
		problem: text(),
		offeredAt: instant().notNull(),
		heldAt: instant(),
		/** When its cloud attempt stops because home has room: at its next checkpoint. */
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
