import { integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { StatementContent } from "../../domain/statement.ts";
import { instant, json } from "./columns.ts";

/** A closed month of a team ("" is the company). Insert-only: a correction creates the next version. */
export const statement = pgTable(
	"statement",
	{
		id: text().primaryKey(),
		/** e.g. `2026-11`, in the ledger's calendar. */
		month: text().notNull(),
		team: text().notNull(),
		version: integer().notNull(),
		content: json<StatementContent>().notNull(),
		/** Hash of the content's canonical JSON, which people sign. */
		sha256: text().notNull(),
		closedAt: instant().notNull(),
		closedBy: text().notNull(),
		/** Reason for a new version; null on the first. */
		correction: text(),
	},
	(t) => [uniqueIndex("statement_version").on(t.month, t.team, t.version)],
);

/** A named person's signature under one version. Insert-only. */
export const statementSignature = pgTable(
	"statement_signature",
	{
		id: text().primaryKey(),
		statementId: text()
			.notNull()
			.references(() => statement.id),
		sha256: text().notNull(),
		accountId: text().notNull(),
		name: text().notNull(),
		role: text().notNull(),
		signedAt: instant().notNull(),
	},
	(t) => [uniqueIndex("statement_signature_once").on(t.statementId, t.accountId)],
);

/** A note on a variance. Insert-only; the latest note of a subject is shown. */
export const statementNote = pgTable("statement_note", {
	id: text().primaryKey(),
	month: text().notNull(),
	team: text().notNull(),
	/** `budget:<id>` or `bill:<provider>`. */
	subject: text().notNull(),
	text: text().notNull(),
	author: text().notNull(),
	writtenAt: instant().notNull(),
});
