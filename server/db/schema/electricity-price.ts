import { pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant, microUsd } from "./columns.ts";

/** A site's price per kWh in one UTC hour, from its supplier or exchange; may be negative. Other hours use the rate card. */
export const electricityPrice = pgTable(
	"electricity_price",
	{
		siteId: text().notNull(),
		hour: instant().notNull(),
		microUsdPerKwh: microUsd().notNull(),
		/** Source, for display. */
		source: text().notNull(),
		observedAt: instant().notNull(),
	},
	(t) => [primaryKey({ columns: [t.siteId, t.hour] })],
);
