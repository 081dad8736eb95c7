import { index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { account, team } from "./account.ts";
import { instant } from "./columns.ts";

/** A person's named view of the job list. A person has at most 50; a deleted account's are deleted with it. */
export const savedView = pgTable(
	"saved_view",
	{
		id: text().primaryKey(),
		accountId: text()
			.notNull()
			.references(() => account.id, { onDelete: "cascade" }),
		name: text().notNull(),
		/** Filters, sort and columns as a query of the list: `view=all&state=failed`. */
		query: text().notNull(),
		/** A team that also sees it; null: only its owner. */
		team: text().references(() => team.name, { onDelete: "set null" }),
		createdAt: instant().notNull(),
	},
	(t) => [uniqueIndex("saved_view_name").on(t.accountId, t.name), index("saved_view_team").on(t.team)],
);
