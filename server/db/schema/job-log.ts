import { integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";
import { logStream } from "./enums.ts";

/** Lines of an attempt, numbered without gaps from 1. */
export const jobLog = pgTable(
	"job_log",
	{
		attemptId: text().notNull(),
		number: integer().notNull(),
		at: instant().notNull(),
		stream: logStream().notNull(),
		text: text().notNull(),
	},
	(t) => [primaryKey({ columns: [t.attemptId, t.number] })],
);
