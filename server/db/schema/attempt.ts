import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { Placement } from "../../domain/capacity.ts";
import type { ClusterWait } from "../../domain/cluster-wait.ts";
import type { Reason } from "../../domain/reasons.ts";
import type { MoveRequest } from "../../domain/vocabulary.ts";
import { bigInt, instant, json, microUsd } from "./columns.ts";
import { attemptState, capacityType } from "./enums.ts";
import { job } from "./job.ts";

/** A placement reserved for the job's next attempt. */
export type StoredMoveTarget = { kind: "home"; poolId: string; slots: number[] } | { kind: "cloud"; offerId: string };

export const attempt = pgTable(
	"attempt",
	{
		/** Derived from the job and number (kernel/ids attemptIdOf), so a repeated intent violates this key. */
		id: text().primaryKey(),
		jobId: text()
			.notNull()
			.references(() => job.id),
		number: integer().notNull(),
		/** The job's team, set by a trigger, so that sums of attempts need no join. */
		team: text().notNull().default(""),
		state: attemptState().notNull().default("starting"),
		placement: json<Placement>().notNull(),
		siteId: text().notNull(),
		capacityType: capacityType().notNull(),
		gpus: integer().notNull(),
		/** Slots held on an owned pool; empty on a cloud. */
		slots: integer().array().notNull().default(sql`'{}'::integer[]`),
		createdAt: instant().notNull(),
		/** When the site accepted it (owned sites). */
		handedOverAt: instant(),
		/** The pending reason that the cluster last reported; null if none. */
		clusterWait: json<ClusterWait | null>(),
		stagingAt: instant(),
		startedAt: instant(),
		/** When it was asked to stop, why, and its grace period. */
		stopRequestedAt: instant(),
		stopReason: json<Reason | null>(),
		/** Where a person wants the job to continue. Kept after the move. */
		moveRequest: json<MoveRequest | null>(),
		/** Where the job continues after this attempt. The place is reserved until then. */
		movingTo: json<StoredMoveTarget | null>(),
		/** When it stops for the move (its next checkpoint), and why. */
		moveAt: instant(),
		moveReason: json<Reason | null>(),
		finishedAt: instant(),
		reason: json<Reason | null>(),
		exitCode: integer(),
		exitSignal: text(),
		/** Number of the latest stored log line, see job_log. */
		logLines: integer().notNull().default(0),
		/** Secret values as delivered to the attempt, sealed for `attempt:<id>`; null without secrets and after it ended. */
		sealedSecrets: text(),
		logCursor: json<{ stdout: number; stderr: number } | null>(),
		lastHeardAt: instant(),
		/** Digest of the container image that ran, as its machine reports it; null without an image or a report. */
		imageDigest: text(),
		/** Sums of its charges, kept in the transaction that writes them. */
		costMicroUsd: microUsd().notNull().default(sql`0`),
		gpuMs: bigInt().notNull().default(sql`0`),
		/** Forecast home start (P50, Unix ms) of the latest decision that led to it, set by a trigger. */
		homeStartMs: bigInt(),
	},
	(t) => [
		uniqueIndex("attempt_job_number").on(t.jobId, t.number),
		/** One live attempt per job. */
		uniqueIndex("attempt_one_live").on(t.jobId).where(sql`${t.state} in ('starting','staging','running','stopping')`),
		index("attempt_live").on(t.siteId).where(sql`${t.state} in ('starting','staging','running','stopping')`),
		/** Moves that have not started. */
		index("attempt_move_due").on(t.moveAt).where(sql`${t.moveAt} is not null and ${t.stopRequestedAt} is null and ${t.finishedAt} is null`),
		/** Lost work by end time. The index includes the sums, so a year needs an index-only scan. */
		index("attempt_lost")
			.on(t.finishedAt, t.state, t.capacityType, t.costMicroUsd, t.gpuMs, t.team)
			.where(sql`${t.state} in ('failed','interrupted','evicted','lost','cancelled')`),
		index("attempt_sealed").on(t.id).where(sql`${t.sealedSecrets} is not null`),
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
