import { sql } from "drizzle-orm";
import { boolean, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";
import { role } from "./enums.ts";

export const team = pgTable("team", { name: text().primaryKey() });

/** A person. Demo accounts carry a password hash; people from an OIDC issuer don't. */
export const account = pgTable(
	"account",
	{
		id: text().primaryKey(),
		email: text().notNull(),
		name: text().notNull(),
		role: role().notNull(),
		teams: text().array().notNull().default(sql`'{}'::text[]`),
		demo: boolean().notNull().default(false),
		passwordHash: text(),
		createdAt: instant().notNull(),
		disabledAt: instant(),
	},
	(t) => [uniqueIndex("account_email").on(sql`lower(${t.email})`)],
);

/** A token for the API and the command line; only its sha256 is kept. */
export const apiToken = pgTable(
	"api_token",
	{
		id: text().primaryKey(),
		accountId: text()
			.notNull()
			.references(() => account.id),
		name: text().notNull(),
		hash: text().notNull(),
		createdAt: instant().notNull(),
		lastUsedAt: instant(),
		revokedAt: instant(),
	},
	(t) => [uniqueIndex("api_token_hash").on(t.hash)],
);
