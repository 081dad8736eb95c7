import { doublePrecision, integer, pgTable, text, unique } from "drizzle-orm/pg-core";
import { bigInt, instant } from "./columns.ts";

/** A copy of a data set in a region's store, made by Spillway so that machines there read it locally. */
export const dataCopy = pgTable(
	"data_copy",
	{
		id: text().primaryKey(),
		/** The data set, as named by jobs. */
		uri: text().notNull(),
		/** `provider:region` of the store. */
		place: text().notNull(),
		/** Its URIs there, for reading and writing. */
		readUri: text().notNull(),
		writeUri: text().notNull(),
		/** When the latest waiting job was submitted. A copy that started earlier may lack its data. */
		wantedAt: instant().notNull(),
		/** Start of the current or last run; null if none. */
		beganAt: instant(),
		/** Start of the last successful run: the copy has the data as of that time. */
		asOfAt: instant(),
		/** The team of the job that last requested it; null in rows of earlier releases. */
		team: text(),
		/** Its size in the store after the last successful run; null if unknown. */
		storedBytes: bigInt(),
		/** Bytes copied by the last successful run, and its speed if measurable. */
		copiedBytes: bigInt(),
		mibPerS: doublePrecision(),
		/** Failures since the last success, the latest error, and the earliest retry. */
		failures: integer().notNull().default(0),
		error: text(),
		retryAt: instant(),
		/** When a job last requested it. */
		usedAt: instant().notNull(),
	},
	(t) => [unique("data_copy_place").on(t.uri, t.place)],
);
