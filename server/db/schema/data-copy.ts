import { doublePrecision, integer, pgTable, primaryKey, text, unique } from "drizzle-orm/pg-core";
import { bigInt, instant, microUsd } from "./columns.ts";

/** A copy of a data set in a place's store, made by Spillway so that jobs there read it locally. */
export const dataCopy = pgTable(
	"data_copy",
	{
		id: text().primaryKey(),
		/** The data set, as named by jobs. */
		uri: text().notNull(),
		/** `provider:region` of the store, or the id of an owned site. */
		place: text().notNull(),
		/** Its URIs there, for reading and writing. */
		readUri: text().notNull(),
		writeUri: text().notNull(),
		/** The place that it is read from; null in rows of earlier releases: the first listed copy at home. */
		fromPlace: text(),
		/** The job that pays for its egress: the one that last requested it; null in rows of earlier releases. */
		jobId: text(),
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

/** Egress of a copy that a budget reserves until the copy ends. It is part of budget_period.held_micro_usd. */
export const copyHold = pgTable(
	"copy_hold",
	{ copyId: text().notNull(), budgetId: text().notNull(), periodKey: text().notNull(), microUsd: microUsd().notNull() },
	(t) => [primaryKey({ columns: [t.copyId, t.budgetId] })],
);
