import { index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { bigInt, instant } from "./columns.ts";

/** One measured transfer between two places, large and long enough to say something about the link. */
export const transfer = pgTable(
	"transfer",
	{
		id: text().primaryKey(),
		/** `provider:region`, the id of an owned site, or `internet` where the source's place is unknown. */
		fromPlace: text().notNull(),
		toPlace: text().notNull(),
		bytes: bigInt().notNull(),
		ms: integer().notNull(),
		at: instant().notNull(),
	},
	(t) => [index("transfer_pair").on(t.fromPlace, t.toPlace, t.at.desc())],
);
