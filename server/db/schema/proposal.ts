import { sql } from "drizzle-orm";
import { check, index, pgTable, text } from "drizzle-orm/pg-core";
import type { PolicyOrigin } from "../../domain/policy-version.ts";
import { instant, json } from "./columns.ts";

/** The budget, the policy and its version that it was proposed against, old and new cap. */
export interface CapChange {
	budgetId: string;
	policyName: string;
	policyVersion: number;
	fromMicroUsd: string;
	toMicroUsd: string;
}

/** A text to publish, or a version to roll back to, against the version that was in force (0: none). */
export interface PolicyPublishChange {
	policyName: string;
	policyVersion: number;
	source: string;
	rollbackTo: number | null;
	origin: PolicyOrigin | null;
	backtestId: string | null;
	noBacktestReason?: string | null;
}

/** What changes only when a second person agrees, by their setting. */
export type SecondPersonOf = "policies" | "budgets";

/** That these change without a second person from now on. */
export interface SecondPersonOffChange {
	secondPersonOf: SecondPersonOf;
}

export type ProposedChange = CapChange | PolicyPublishChange | SecondPersonOffChange;

/** A change that a second person has to agree to before it counts. */
export const proposal = pgTable(
	"proposal",
	{
		id: text().primaryKey(),
		kind: text({ enum: ["budget_cap", "policy_publish", "second_person_off"] }).notNull(),
		/** The budget's id, the policy's name, or what the second person is for. */
		subject: text().notNull(),
		/** Of the kind that `kind` says. */
		change: json<ProposedChange>().notNull(),
		message: text().notNull(),
		proposedBy: text().notNull(),
		proposedAt: instant().notNull(),
		decision: text({ enum: ["approved", "rejected", "withdrawn"] }),
		decidedBy: text(),
		decidedAt: instant(),
	},
	(t) => [
		index("proposal_open").on(t.proposedAt).where(sql`${t.decision} is null`),
		check("proposal_decided_iff", sql`num_nonnulls(${t.decision}, ${t.decidedBy}, ${t.decidedAt}) in (0, 3)`),
		check("proposal_second_person", sql`${t.decision} <> 'approved' or ${t.decidedBy} <> ${t.proposedBy}`),
	],
);
