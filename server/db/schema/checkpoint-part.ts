import { bigint, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { bigInt, instant, json } from "./columns.ts";
import { job } from "./job.ts";

/** One file of a checkpoint in a store. `from` names the checkpoint that uploaded it; unchanged files are not uploaded again. */
export interface StoredShardFile {
	path: string;
	bytes: number;
	sha256: string;
	from: string;
}

/** One rank's part of a checkpoint. The checkpoint is complete when the parts of all ranks are committed. */
export const checkpointPart = pgTable(
	"checkpoint_part",
	{
		checkpointId: text().notNull(),
		rank: integer().notNull(),
		jobId: text()
			.notNull()
			.references(() => job.id),
		attemptId: text().notNull(),
		storeId: text().notNull(),
		/** The training step that all ranks save together; null when a single machine saves. */
		step: bigint({ mode: "number" }),
		createdAt: instant().notNull(),
		/** Null until the rank has uploaded everything. */
		committedAt: instant(),
		bytes: bigInt(),
		files: json<StoredShardFile[]>(),
	},
	(t) => [primaryKey({ columns: [t.checkpointId, t.rank] }), index("checkpoint_part_job").on(t.jobId, t.checkpointId)],
);
