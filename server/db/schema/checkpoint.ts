import { bigint, index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { bigInt, instant } from "./columns.ts";
import { job } from "./job.ts";

/** A checkpoint that is complete in the store; the next attempt of a job starts from the newest one. */
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
		/** Saved run time of the job, ms, over all attempts. */
		completedMs: bigInt().notNull(),
		/** The team's store with the files; null: the control plane's folder. */
		storeId: text(),
		/** The training step that all ranks saved; null when a single machine saved. */
		step: bigint({ mode: "number" }),
		ranks: integer().notNull().default(1),
		/** A file was missing or had a wrong checksum during a restore: the checkpoint is no longer used. */
		problem: text(),
		/** When its files were deleted by the retention rule for checkpoints. */
		prunedAt: instant(),
	},
	(t) => [index("checkpoint_job").on(t.jobId, t.createdAt.desc().nullsFirst())],
);
