import { pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant, microUsd } from "./columns.ts";

/** What a kWh cost a site in one UTC hour, as its supplier or exchange said; below zero where that paid. Other hours go by the rate card. */
export const electricityPrice = pgTable(
	"electricity_price",
	{
		siteId: text().notNull(),
		hour: instant().notNull(),
		microUsdPerKwh: microUsd().notNull(),
		/** Where it is from, as it is to be shown. */
		source: text().notNull(),
		observedAt: instant().notNull(),
	},
	(t) => [primaryKey({ columns: [t.siteId, t.hour] })],
);
