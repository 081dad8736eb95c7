import { sql } from "drizzle-orm";
import { check, index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { account } from "./account.ts";
import { instant } from "./columns.ts";

/** A sign-in of the command line that a person approves in the browser (RFC 8628). Codes are stored as sha256. */
export const deviceLogin = pgTable(
	"device_login",
	{
		id: text().primaryKey(),
		/** The secret of the waiting command. */
		deviceHash: text().notNull(),
		/** The short code that the person compares. */
		userHash: text().notNull(),
		/** Machine name, as given by the command. */
		clientName: text().notNull(),
		/** Address of the client that started it. */
		source: text(),
		createdAt: instant().notNull(),
		expiresAt: instant().notNull(),
		/** Who answered; null: no one yet. */
		accountId: text().references(() => account.id),
		decision: text({ enum: ["approved", "denied"] }),
		decidedAt: instant(),
		/** When the token was delivered. */
		redeemedAt: instant(),
	},
	(t) => [
		uniqueIndex("device_login_device").on(t.deviceHash),
		uniqueIndex("device_login_user").on(t.userHash),
		index("device_login_expires_at").on(t.expiresAt),
		check("device_login_answered", sql`(${t.decision} is null) = (${t.accountId} is null)`),
	],
);
