import { sql } from "drizzle-orm";
import { index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { OutputKind } from "../../domain/output.ts";
import { bigInt, instant, json } from "./columns.ts";
import { job } from "./job.ts";
import { trackingRun } from "./tracking.ts";

/** A result of an attempt, or one file that a run logged, complete in the store. The row stays as lineage when the files are deleted. */
export const artifact = pgTable(
	"artifact",
	{
		id: text().primaryKey(),
		jobId: text()
			.notNull()
			.references(() => job.id),
		attemptId: text().notNull(),
		/** The run that logged it; null for a declared output. */
		runId: text().references(() => trackingRun.id),
		team: text().notNull(),
		name: text().notNull(),
		kind: text().$type<OutputKind>().notNull(),
		files: integer().notNull(),
		bytes: bigInt().notNull(),
		/** SHA-256 over the sums and paths of all files, in order of path: equal for equal content. */
		digest: text().notNull(),
		createdAt: instant().notNull(),
		/** When the files are deleted; null: never. */
		expiresAt: instant(),
		deletedAt: instant(),
		/** Time up to which its storage is charged; null: not charged yet. */
		meteredUntil: instant(),
		/** The team's store with the files; null: the embedded one. */
		storeId: text(),
		/** Regions that the job's data, and therefore its results, must not leave. */
		residency: json<string[]>(),
	},
	(t) => [
		uniqueIndex("artifact_attempt_output").on(t.attemptId, t.name).where(sql`run_id is null`),
		uniqueIndex("artifact_run_file").on(t.runId, t.name).where(sql`run_id is not null and deleted_at is null`),
		index("artifact_job").on(t.jobId, t.createdAt),
		index("artifact_team").on(t.team, t.createdAt.desc()),
		index("artifact_expiry").on(t.expiresAt),
		// For the meter: results not yet charged to their end, by time charged; deleted ones first.
		index("artifact_due")
			.on(sql`(case when deleted_at is null then coalesce(metered_until, created_at) else '-infinity' end)`)
			.where(sql`deleted_at is null or metered_until is null or metered_until < deleted_at`),
	],
);

export const artifactFile = pgTable(
	"artifact_file",
	{
		artifactId: text()
			.notNull()
			.references(() => artifact.id),
		/** Relative to the artifact, with "/". */
		path: text().notNull(),
		bytes: bigInt().notNull(),
		sha256: text().notNull(),
		mediaType: text().notNull(),
	},
	(t) => [primaryKey({ columns: [t.artifactId, t.path] })],
);
