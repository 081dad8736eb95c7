import { date, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant, microUsd } from "./columns.ts";
import { capacityType, provider } from "./enums.ts";

/** List prices that people imported, the newest of each machine and region. They apply over the shipped prices. */
export const importedPrice = pgTable(
	"imported_price",
	{
		provider: provider().notNull(),
		instanceType: text().notNull(),
		region: text().notNull(),
		capacityType: capacityType().notNull(),
		/** The day on which the provider listed it. */
		asOf: date({ mode: "string" }).notNull(),
		microUsdPerHour: microUsd().notNull(),
		source: text().notNull(),
		importedBy: text().notNull(),
		importedAt: instant().notNull(),
	},
	(t) => [primaryKey({ columns: [t.provider, t.instanceType, t.region, t.capacityType] })],
);
