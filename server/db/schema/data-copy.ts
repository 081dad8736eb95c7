import { doublePrecision, integer, pgTable, text, unique } from "drizzle-orm/pg-core";
import { bigInt, instant } from "./columns.ts";

/** A copy of a data set that Spillway made in a region's store, or is making, so that machines there read it from near. */
export const dataCopy = pgTable(
	"data_copy",
	{
		id: text().primaryKey(),
		/** The data set, as jobs name it. */
		uri: text().notNull(),
		/** `provider:region` of the store. */
		place: text().notNull(),
		/** Its address there for machines that read it, and for whoever writes it. */
		readUri: text().notNull(),
		writeUri: text().notNull(),
		/** When the newest job that waits for it was submitted: a copy that began before that may lack what the job was made for. */
		wantedAt: instant().notNull(),
		/** Start of the run that goes on, or of the last one; null: none yet. */
		beganAt: instant(),
		/** Start of the last run that came to a good end: the copy has what the set had then. */
		asOfAt: instant(),
		/** What the last good run moved, and how fast when it was enough to tell. */
		copiedBytes: bigInt(),
		mibPerS: doublePrecision(),
		/** Runs that failed since the last good one, the last one's error, and when another may begin. */
		failures: integer().notNull().default(0),
		error: text(),
		retryAt: instant(),
		/** When a job last wanted it. */
		usedAt: instant().notNull(),
	},
	(t) => [unique("data_copy_place").on(t.uri, t.place)],
);
