import { index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { PolicyManagedBy, PolicyOrigin } from "../../domain/policy-version.ts";
import { instant, json } from "./columns.ts";

export const policy = pgTable("policy", {
	name: text().primaryKey(),
	/** Publishing moves this pointer; versions never change. */
	activeVersion: integer().notNull(),
	/** Kept in git: read-only in the browser. Null: edited here. */
	managedBy: json<PolicyManagedBy | null>(),
});

/** Insert-only. */
export const policyVersion = pgTable(
	"policy_version",
	{
		name: text().notNull(),
		version: integer().notNull(),
		source: text().notNull(),
		author: text().notNull(),
		message: text().notNull(),
		createdAt: instant().notNull(),
		/** The version that its author started from; null on the first. */
		baseVersion: integer(),
		origin: json<PolicyOrigin | null>(),
	},
	(t) => [primaryKey({ columns: [t.name, t.version] })],
);

/** Each move of the pointer, oldest to newest. Insert-only. */
export const policyPublication = pgTable(
	"policy_publication",
	{
		id: text().primaryKey(),
		name: text().notNull(),
		version: integer().notNull(),
		kind: text({ enum: ["publish", "rollback"] }).notNull(),
		publishedAt: instant().notNull(),
		publishedBy: text().notNull(),
		/** The second person, if one is required. */
		approvedBy: text(),
		/** The backtest seen before publishing. */
		backtestId: text(),
		/** Why it was published in the browser without a finished backtest. */
		noBacktestReason: text(),
	},
	(t) => [index("policy_publication_time").on(t.name, t.publishedAt)],
);

/** A person's unpublished text, one per policy: it survives a closed tab, a lost session and a restart. */
export const policyDraft = pgTable(
	"policy_draft",
	{
		name: text().notNull(),
		accountId: text().notNull(),
		baseVersion: integer().notNull(),
		source: text().notNull(),
		updatedAt: instant().notNull(),
	},
	(t) => [primaryKey({ columns: [t.name, t.accountId] })],
);
