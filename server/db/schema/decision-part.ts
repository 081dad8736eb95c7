import { customType, index, pgTable, text } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

const bytes = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => "bytea" });

/**
 * What decisions were made from, in parts that many decisions share: a part is written once and named by the SHA-256 of its text.
 * Only services/explain writes and reads them; a part that no decision used for long is deleted.
 */
export const decisionPart = pgTable(
	"decision_part",
	{
		/** SHA-256 of the text, base64url. */
		hash: text().primaryKey(),
		/** The text, as raw deflate. */
		body: bytes().notNull(),
		/** The newest cycle that used it, to the day. */
		usedAt: instant().notNull(),
	},
	(t) => [index("decision_part_used").on(t.usedAt)],
);
