import { index, pgTable, text } from "drizzle-orm/pg-core";
import { bytes, instant } from "./columns.ts";

/**
 * Inputs of decisions, in parts shared by many decisions: each part is written once and identified by the SHA-256 of
 * its text. Only services/explain writes and reads them; parts unused for a long time are deleted.
 */
export const decisionPart = pgTable(
	"decision_part",
	{
		/** SHA-256 of the text, base64url. */
		hash: text().primaryKey(),
		/** The text, as raw deflate. */
		body: bytes().notNull(),
		/** The latest cycle that used it, by day. */
		usedAt: instant().notNull(),
	},
	(t) => [index("decision_part_used").on(t.usedAt)],
);
