import { sql } from "drizzle-orm";
import { boolean, foreignKey, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { DIGEST_MINUTES, WORK_EVENTS } from "../../domain/notice.ts";
import { instant, microUsd } from "./columns.ts";
import { customRole } from "./custom-role.ts";
import { role } from "./enums.ts";

export const team = pgTable(
	"team",
	{
		/** Immutable: jobs, charges, budgets and policies refer to it. */
		name: text().primaryKey(),
		/** Display name; renaming a team changes this. */
		title: text(),
		/** Cost center code in the company's accounting. */
		costCenter: text(),
		/** Parent team, for grouping in lists. Grants no rights. */
		parent: text(),
	},
	(t) => [foreignKey({ columns: [t.parent], foreignColumns: [t.name], name: "team_parent" }), index("team_parent_index").on(t.parent)],
);

/** A person, or a service account used only through tokens. Only demo accounts and the first administrator have a password. */
export const account = pgTable(
	"account",
	{
		id: text().primaryKey(),
		email: text().notNull(),
		name: text().notNull(),
		role: role().notNull(),
		/** A custom role based on `role`, which restricts it; null: everything the role allows. */
		customRole: text(),
		teams: text().array().notNull().default(sql`'{}'::text[]`),
		demo: boolean().notNull().default(false),
		/** Service accounts never sign in; no identity can be linked to them. */
		service: boolean().notNull().default(false),
		passwordHash: text(),
		/** Sessions carry the epoch in which they were created. Raising it ends all sessions of the account. */
		sessionEpoch: integer().notNull().default(0),
		/** Until this time, the first sign-in with this verified address is linked to this account. */
		invitedUntil: instant(),
		/**
		 * Events of the person's jobs and pipelines to send to `email` (server/domain/notice.ts), collected for this many
		 * minutes.
		 */
		notifyEvents: text({ enum: WORK_EVENTS }).array().notNull().default(sql`'{}'::text[]`),
		digestMinutes: integer().notNull().default(DIGEST_MINUTES.default),
		createdAt: instant().notNull(),
		disabledAt: instant(),
	},
	(t) => [
		uniqueIndex("account_email").on(sql`lower(${t.email})`),
		foreignKey({ columns: [t.customRole, t.role], foreignColumns: [customRole.name, customRole.base], name: "account_custom_role" }),
		index("account_custom_role_index").on(t.customRole),
	],
);

/** An identity at an OIDC issuer. It belongs to an account once linked; before that it waits for an administrator's approval. */
export const identity = pgTable(
	"identity",
	{
		issuer: text().notNull(),
		subject: text().notNull(),
		id: text().notNull(),
		accountId: text()
			.notNull()
			.references(() => account.id),
		/** Verified address at the first sign-in. */
		email: text().notNull(),
		createdAt: instant().notNull(),
		linkedAt: instant(),
		/** Actor that approved the link; null for an invitation or a new account. */
		linkedBy: text(),
		lastSignInAt: instant(),
	},
	(t) => [primaryKey({ columns: [t.issuer, t.subject] }), uniqueIndex("identity_id").on(t.id), index("identity_account").on(t.accountId)],
);

/** Attempts within a window, by key. Stored in the database, so that the limit holds across replicas. */
export const rateWindow = pgTable(
	"rate_window",
	{
		key: text().primaryKey(),
		count: integer().notNull(),
		startsAt: instant().notNull(),
	},
	(t) => [index("rate_window_starts_at").on(t.startsAt)],
);

/** A token for the API and the command line; only its sha256 is stored. */
export const apiToken = pgTable(
	"api_token",
	{
		id: text().primaryKey(),
		/** The owner; the token acts with the owner's role and teams, narrowed by `scopes`. */
		accountId: text()
			.notNull()
			.references(() => account.id),
		name: text().notNull(),
		hash: text().notNull(),
		/** Names from TOKEN_SCOPES; null: every scope. */
		scopes: text().array(),
		/** Jobs submitted with it need approval above this estimated cost; null: no limit. */
		approvalAboveMicroUsd: microUsd(),
		createdAt: instant().notNull(),
		expiresAt: instant(),
		lastUsedAt: instant(),
		revokedAt: instant(),
	},
	(t) => [uniqueIndex("api_token_hash").on(t.hash), index("api_token_account").on(t.accountId)],
);
