import { integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

export const policy = pgTable("policy", {
	name: text().primaryKey(),
	/** Publishing moves this pointer; versions never change. */
	activeVersion: integer().notNull(),
});

export const policyVersion = pgTable(
	"policy_version",
	{
		name: text().notNull(),
		version: integer().notNull(),
		source: text().notNull(),
		author: text().notNull(),
		message: text().notNull(),
		createdAt: instant().notNull(),
	},
	(t) => [primaryKey({ columns: [t.name, t.version] })],
);
