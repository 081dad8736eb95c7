import { sql } from "drizzle-orm";
import { check, index, pgTable, text } from "drizzle-orm/pg-core";
import type { BudgetPeriod } from "../../domain/policy.ts";
import type { PolicyOrigin } from "../../domain/policy-version.ts";
import { instant, json } from "./columns.ts";

/** The budget, the policy and version it was proposed against, old and new cap. */
export interface CapChange {
	/** Jobs (CEL) and period of a budget that the change adds; absent for one that exists. */
	added?: { scope: string; period: BudgetPeriod };
	budgetId: string;
	policyName: string;
	policyVersion: number;
	fromMicroUsd: string;
	toMicroUsd: string;
}

/** A text to publish, or a version to roll back to, and the version in force at that time (0: none). */
export interface PolicyPublishChange {
	policyName: string;
	policyVersion: number;
	source: string;
	rollbackTo: number | null;
	origin: PolicyOrigin | null;
	backtestId: string | null;
	noBacktestReason?: string | null;
}

/** Changes that need a second person, by setting. */
export type SecondPersonOf = "policies" | "budgets";

/** These changes no longer need a second person. */
export interface SecondPersonOffChange {
	secondPersonOf: SecondPersonOf;
}

export type ProposedChange = CapChange | PolicyPublishChange | SecondPersonOffChange;

/** A change that takes effect only once a second person approves it. */
export const proposal = pgTable(
	"proposal",
	{
		id: text().primaryKey(),
		kind: text({ enum: ["budget_cap", "policy_publish", "second_person_off"] }).notNull(),
		/** The budget's id, the policy's name, or the kind of change that needs a second person. */
		subject: text().notNull(),
		/** Shape depends on `kind`. */
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
