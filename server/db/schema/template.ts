import { sql } from "drizzle-orm";
import { integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { TemplateKind } from "../../domain/template/template-file.ts";
import { instant } from "./columns.ts";

/**
 * A document that members of a team run by filling in its parameters. Removed ones stay, because the audit log refers
 * to them.
 */
export const template = pgTable(
	"template",
	{
		id: text().primaryKey(),
		team: text().notNull(),
		name: text().notNull(),
		/** The current version. */
		version: integer().notNull(),
		deletedAt: instant(),
	},
	(t) => [uniqueIndex("template_name").on(t.team, t.name).where(sql`${t.deletedAt} is null`)],
);

/** Every saved version. Rows are never changed or deleted. */
export const templateVersion = pgTable(
	"template_version",
	{
		templateId: text()
			.notNull()
			.references(() => template.id),
		version: integer().notNull(),
		kind: text().$type<TemplateKind>().notNull(),
		description: text().notNull(),
		/** The document as written. */
		source: text().notNull(),
		savedBy: text().notNull(),
		savedAt: instant().notNull(),
	},
	(t) => [primaryKey({ columns: [t.templateId, t.version] })],
);
