import { integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

/** Lines of an attempt that moved from job_log to the log store: one immutable object per row. */
export const logSegment = pgTable(
	"log_segment",
	{
		attemptId: text().notNull(),
		firstNumber: integer().notNull(),
		lastNumber: integer().notNull(),
		/** Time of the last line. */
		lastAt: instant().notNull(),
		/** Of the object, compressed. */
		bytes: integer().notNull(),
		sha256: text().notNull(),
		key: text().notNull(),
	},
	(t) => [primaryKey({ columns: [t.attemptId, t.firstNumber] })],
);
