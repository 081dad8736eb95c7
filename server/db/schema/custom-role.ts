import { pgTable, text, unique } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";
import { role } from "./enums.ts";

/** A named part of a built-in role's permissions. `base` never changes: accounts with the role refer to both. */
export const customRole = pgTable(
	"custom_role",
	{
		name: text().primaryKey(),
		base: role().notNull(),
		/** Names from PERMISSIONS. */
		permissions: text().array().notNull(),
		createdAt: instant().notNull(),
	},
	(t) => [unique("custom_role_base").on(t.name, t.base)],
);
