import { bigint, index, integer, pgTable, text } from "drizzle-orm/pg-core";
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
		/** The team's store that has the files; null: the control plane's folder. */
		storeId: text(),
		/** The training step that all ranks saved; null when a single machine saved. */
		step: bigint({ mode: "number" }),
		ranks: integer().notNull().default(1),
		/** A file was missing or had another checksum at a restore: it is not used any more. */
		problem: text(),
		/** When its files were deleted by the rule for old checkpoints. */
		prunedAt: instant(),
	},
	(t) => [index("checkpoint_job").on(t.jobId, t.createdAt.desc().nullsFirst())],
);
