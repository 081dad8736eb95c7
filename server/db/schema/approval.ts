import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { ApprovalQuote } from "../../domain/approval.ts";
import { instant, json, microUsd } from "./columns.ts";
import { role } from "./enums.ts";
import { job } from "./job.ts";

/** A rule's request for approval before a job may be placed. */
export const approval = pgTable(
	"approval",
	{
		id: text().primaryKey(),
		jobId: text()
			.notNull()
			.references(() => job.id),
		ruleId: text().notNull(),
		policyName: text().notNull(),
		policyVersion: integer().notNull(),
		/** Role that may approve. */
		role: role().notNull(),
		quote: json<ApprovalQuote>().notNull(),
		requestedAt: instant().notNull(),
		expiresAt: instant().notNull(),
		state: text({ enum: ["open", "granted", "refused", "expired", "withdrawn"] })
			.notNull()
			.default("open"),
		/** What was approved: the maximum cost of the placement. */
		upToMicroUsd: microUsd(),
		decidedBy: text(),
		decidedAt: instant(),
		note: text(),
	},
	(t) => [
		uniqueIndex("approval_open_job").on(t.jobId).where(sql`${t.state} = 'open'`),
		index("approval_requested").on(t.requestedAt.desc().nullsFirst()),
		index("approval_job").on(t.jobId),
		check("approval_decided_iff", sql`(${t.state} = 'open') = (${t.decidedAt} is null)`),
		check("approval_granted_amount", sql`(${t.state} = 'granted') = (${t.upToMicroUsd} is not null)`),
	],
);
