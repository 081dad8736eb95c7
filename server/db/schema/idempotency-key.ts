import { integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant, json } from "./columns.ts";

/** The response to a write with this Idempotency-Key, kept for a day. */
export const idempotencyKey = pgTable(
	"idempotency_key",
	{
		accountId: text().notNull(),
		key: text().notNull(),
		/** sha256 of method, path and body: the same key with a different request is rejected. */
		requestHash: text().notNull(),
		status: integer().notNull(),
		response: json<unknown>().notNull(),
		createdAt: instant().notNull(),
	},
	(t) => [primaryKey({ columns: [t.accountId, t.key] })],
);
