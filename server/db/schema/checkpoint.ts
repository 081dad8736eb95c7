import { index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { bigInt, instant } from "./columns.ts";
import { job } from "./job.ts";

/** A checkpoint that is complete in the store; the newest one of a job is where its next attempt begins. */
export const checkpoint = pgTable(
	"checkpoint",
	{
		id: text().primaryKey(),
		jobId: text()
			.notNull()
			.references(() => job.id),
		attemptId: text().notNull(),
		createdAt: instant().notNull(),
		files: integer().notNull(),
		bytes: bigInt().notNull(),
		/** Run time of the job that it holds, ms, over all attempts. */
		completedMs: bigInt().notNull(),
	},
	(t) => [index("checkpoint_job").on(t.jobId, t.createdAt.desc().nullsFirst())],
);
