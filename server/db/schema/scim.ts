import { sql } from "drizzle-orm";
import { index, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { account } from "./account.ts";
import { instant } from "./columns.ts";

/** An account that an identity provider manages by SCIM. */
export const scimUser = pgTable(
	"scim_user",
	{
		accountId: text()
			.primaryKey()
			.references(() => account.id),
		userName: text().notNull(),
		externalId: text(),
		createdAt: instant().notNull(),
	},
	(t) => [uniqueIndex("scim_user_name").on(sql`lower(${t.userName})`), index("scim_user_external").on(t.externalId)],
);

/** A group of the identity provider. The group map turns groups into a role and teams. */
export const scimGroup = pgTable(
	"scim_group",
	{
		id: text().primaryKey(),
		displayName: text().notNull(),
		externalId: text(),
		createdAt: instant().notNull(),
	},
	(t) => [uniqueIndex("scim_group_name").on(t.displayName)],
);

export const scimMember = pgTable(
	"scim_member",
	{
		groupId: text()
			.notNull()
			.references(() => scimGroup.id, { onDelete: "cascade" }),
		accountId: text()
			.notNull()
			.references(() => scimUser.accountId, { onDelete: "cascade" }),
	},
	(t) => [primaryKey({ columns: [t.groupId, t.accountId] }), index("scim_member_account").on(t.accountId)],
);
