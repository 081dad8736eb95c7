import { date, numeric, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

/** A published exchange rate: `units` of the currency were worth `usd` US dollars on a day. Importing a day again replaces it. */
export const exchangeRate = pgTable(
	"exchange_rate",
	{
		/** ISO 4217. */
		currency: text().notNull(),
		date: date({ mode: "string" }).notNull(),
		units: numeric().notNull(),
		usd: numeric().notNull(),
		/** Where it was published, for display. */
		source: text().notNull(),
		/** Who imported it, as in the audit log. */
		importedBy: text().notNull(),
		importedAt: instant().notNull(),
	},
	(t) => [primaryKey({ columns: [t.currency, t.date] })],
);
