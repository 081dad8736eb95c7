import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { Placement } from "../../domain/capacity.ts";
import type { ClusterWait } from "../../domain/cluster-wait.ts";
import type { Reason } from "../../domain/reasons.ts";
import { bigInt, instant, json, microUsd } from "./columns.ts";
import { attemptState, capacityType } from "./enums.ts";
import { job } from "./job.ts";

/** A place that is kept for the job's next attempt. */
export type StoredMoveTarget = { kind: "home"; poolId: string; slots: number[] } | { kind: "cloud"; offerId: string };

export const attempt = pgTable(
	"attempt",
	{
		/** Derived from the job and the number (kernel/ids attemptIdOf): the same intent written twice meets this key. */
		id: text().primaryKey(),
		jobId: text()
			.notNull()
			.references(() => job.id),
		number: integer().notNull(),
		/** The job's; filled in by the database (migration 0011), so that sums of attempts need not look at jobs. */
		team: text().notNull().default(""),
		state: attemptState().notNull().default("starting"),
		placement: json<Placement>().notNull(),
		siteId: text().notNull(),
		capacityType: capacityType().notNull(),
		gpus: integer().notNull(),
		/** Slots held on an owned pool; empty on a cloud. */
		slots: integer().array().notNull().default(sql`'{}'::integer[]`),
		createdAt: instant().notNull(),
		/** The driver was asked to start it (owned sites). */
		handedOverAt: instant(),
		/** Why the cluster lets it wait, in its words, as they were seen last; null: it does not, or says nothing. */
		clusterWait: json<ClusterWait | null>(),
		stagingAt: instant(),
		startedAt: instant(),
		/** When it was told to end, why, and how much time it got. */
		stopRequestedAt: instant(),
		stopReason: json<Reason | null>(),
		/** Where the job goes on once this attempt has ended; until then the place is kept for it. */
		movingTo: json<StoredMoveTarget | null>(),
		/** When it is to be told to end for that, and why: its next checkpoint. */
		moveAt: instant(),
		moveReason: json<Reason | null>(),
		finishedAt: instant(),
		reason: json<Reason | null>(),
		exitCode: integer(),
		exitSignal: text(),
		/** Newest number of a stored log line, see job_log. */
		logLines: integer().notNull().default(0),
		logCursor: json<{ stdout: number; stderr: number } | null>(),
		lastHeardAt: instant(),
		/** Sums of its charges, kept in the transaction that writes them. */
		costMicroUsd: microUsd().notNull().default(sql`0`),
		gpuMs: bigInt().notNull().default(sql`0`),
		/** When home was forecast to start it (P50, Unix ms) by the newest decision that led to it; filled in by the database too. */
		homeStartMs: bigInt(),
	},
	(t) => [
		uniqueIndex("attempt_job_number").on(t.jobId, t.number),
		/** Never two live attempts of one job. */
		uniqueIndex("attempt_one_live").on(t.jobId).where(sql`${t.state} in ('starting','staging','running','stopping')`),
		index("attempt_live").on(t.siteId).where(sql`${t.state} in ('starting','staging','running','stopping')`),
		/** Moves that still have to be begun. */
		index("attempt_move_due").on(t.moveAt).where(sql`${t.moveAt} is not null and ${t.stopRequestedAt} is null and ${t.finishedAt} is null`),
		/** Work that came to nothing, by when it ended; the sums are in the index, so that a year of it is read there alone. */
		index("attempt_lost")
			.on(t.finishedAt, t.state, t.capacityType, t.costMicroUsd, t.gpuMs, t.team)
			.where(sql`${t.state} in ('failed','interrupted','evicted','lost','cancelled')`),
		index("attempt_times").on(t.createdAt, t.finishedAt),
		check(
			"attempt_move_is_whole",
			sql`(${t.moveAt} is null) = (${t.movingTo} is null) and (${t.moveAt} is null) = (${t.moveReason} is null)`,
		),
		check("attempt_final_has_reason", sql`(${t.finishedAt} is null) or (${t.reason} is not null)`),
		check(
			"attempt_finished_iff_final",
			sql`(${t.state} in ('succeeded','failed','interrupted','evicted','cancelled','lost')) = (${t.finishedAt} is not null)`,
		),
	],
);
