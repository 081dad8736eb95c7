import { integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

/** Grid intensity of one hour in one zone, from a source. Places without a row fall back to the shipped average. */
export const gridIntensity = pgTable(
	"grid_intensity",
	{
		/** Zone of the Electricity Maps form, e.g. `DE`, `US-MIDA-PJM`. */
		zone: text().notNull(),
		hour: instant().notNull(),
		milligramsPerKwh: integer().notNull(),
		source: text().notNull(),
		observedAt: instant().notNull(),
	},
	(t) => [primaryKey({ columns: [t.zone, t.hour] })],
);
