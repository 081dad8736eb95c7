import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { Offer, ReadVolume } from "../../domain/capacity.ts";
import type { Exit } from "../../domain/outcome.ts";
import type { PreparedItem } from "../../domain/preparation.ts";
import type { Reason } from "../../domain/reasons.ts";
import { attempt } from "./attempt.ts";
import { durationMs, instant, json, microUsd } from "./columns.ts";
import { capacityType, instanceState, provider } from "./enums.ts";
import { job } from "./job.ts";
import type { StoredDisk } from "./offer.ts";

/** The offer at launch, money as decimal strings. */
export type StoredOffer = Omit<
	Offer,
	"microUsdPerHour" | "onDemandMicroUsdPerHour" | "egressMicroUsdPerGiB" | "listMicroUsdPerHour" | "disk"
> & {
	listMicroUsdPerHour?: string;
	disk?: StoredDisk;
	microUsdPerHour: string;
	onDemandMicroUsdPerHour: string | null;
	egressMicroUsdPerGiB: string;
};

export const instance = pgTable(
	"instance",
	{
		/** Derived from the job, attempt number and rank; also the provider's idempotency token. */
		id: text().primaryKey(),
		siteId: text().notNull(),
		provider: provider().notNull(),
		providerInstanceId: text(),
		/** Its name in the provider's signed documents; null if that is its id or unknown. */
		signedId: text(),
		state: instanceState().notNull().default("intended"),
		region: text().notNull(),
		zone: text(),
		instanceType: text().notNull(),
		capacityType: capacityType().notNull(),
		accelerator: text().notNull(),
		gpus: integer().notNull(),
		offer: json<StoredOffer>().notNull(),
		microUsdPerHour: microUsd().notNull(),
		/** Null while it is kept warm without a job. Set once. */
		jobId: text().references(() => job.id),
		attemptId: text().references(() => attempt.id),
		/** The prewarm rule that launched it; null: launched for its job. */
		warmRule: text(),
		/** The job that its offer was chosen for. */
		warmFor: text().references(() => job.id),
		/** Until when it is kept without a job; in the past once it was given up. */
		warmUntil: instant(),
		/** What it fetches while it has no job; null: nothing. */
		preparation: json<PreparedItem[] | null>(),
		/** It is stopped once it has fetched that, and started again for its job. */
		keepStopped: boolean().notNull().default(false),
		/** First call to stop it. Until it is seen stopped it takes no job. */
		stopCalledAt: instant(),
		/** Since when the provider bills only its disk; never before time that a meter has charged. */
		stoppedFrom: instant(),
		/** First call to start it again. It is charged as running from then on. */
		startCalledAt: instant(),
		/** When it got its job. Time before is charged as `kept_warm`. */
		assignedAt: instant(),
		/** Rank in its attempt: 0 to nodes − 1. */
		rank: integer().notNull().default(0),
		/** The checkpoint restored before it was ready; null: none. */
		restoredCheckpoint: text(),
		/** When the intent was recorded. */
		intendedAt: instant().notNull(),
		/** First launch call, and the latest call to launch, stop or start it. */
		requestedAt: instant(),
		lastCallAt: instant(),
		calls: integer().notNull().default(0),
		lastError: text(),
		/** Launch time reported by the provider. */
		launchedAt: instant(),
		/**
		 * The billed time, which is metered: reported by the provider, or estimated from observations. An estimate covers all
		 * time that may have been billed, and the slack bounds the overestimate.
		 */
		billedFrom: instant(),
		billedFromSlackMs: durationMs().notNull().default(0),
		billedUntil: instant(),
		billedUntilSlackMs: durationMs().notNull().default(0),
		readyAt: instant(),
		/** Address for its peers. */
		privateAddress: text(),
		/** When its data is staged. The commands of a gang start once all machines are staged. */
		stagedAt: instant(),
		/** How its command exited; null while it may be running. */
		exit: json<Exit | null>(),
		/** What it read from other clouds and is not charged for yet, and when it reported that. */
		dataReads: json<ReadVolume[] | null>(),
		dataReadAt: instant(),
		/** Number of its lines in the attempt's log. */
		logLines: integer().notNull().default(0),
		/** When the provider will reclaim the machine, as announced. */
		interruptionAt: instant(),
		terminatingAt: instant(),
		terminateCalls: integer().notNull().default(0),
		lastTerminateCallAt: instant(),
		terminatedAt: instant(),
		/** When the provider last listed it. */
		lastSeenAt: instant(),
		/** First complete listing without it; null while listed. */
		missingSince: instant(),
		/** Last call of its agent. */
		lastHeardAt: instant(),
		/** Lease from its latest heartbeat: its command pauses this long after our last answer. Null: no lease. */
		leaseMs: integer(),
		/** When it was fenced: its command is paused, must not resume, and counts as ended. */
		fencedAt: instant(),
		reason: json<Reason | null>(),
		/** Dead man's switch: the agent powers the machine off at this time, even without the control plane. */
		expiresAt: instant().notNull(),
		/** SHA-256 of the one-time secret in the user data; cleared once used. */
		bootstrapHash: text(),
		agentTokenHash: text(),
		meteredUntil: instant(),
		costMicroUsd: microUsd().notNull().default(sql`0`),
	},
	(t) => [
		uniqueIndex("instance_provider_id").on(t.siteId, t.providerInstanceId).where(sql`${t.providerInstanceId} is not null`),
		index("instance_live").on(t.state).where(sql`${t.state} <> 'terminated'`),
		/** Instances with unmetered time. */
		index("instance_unmetered")
			.on(t.id)
			.where(
				sql`${t.billedFrom} is not null and (${t.meteredUntil} is null or ${t.billedUntil} is null or ${t.meteredUntil} <> ${t.billedUntil})`,
			),
		/** One machine per rank. */
		uniqueIndex("instance_attempt_rank").on(t.attemptId, t.rank),
		index("instance_job").on(t.jobId),
		index("instance_intended").on(t.intendedAt.desc().nullsFirst(), t.id.desc().nullsFirst()),
		/** A site's regions with launches, and the latest launch in each. */
		index("instance_region").on(t.siteId, t.region, t.intendedAt.desc().nullsFirst()),
		uniqueIndex("instance_agent_token").on(t.agentTokenHash).where(sql`${t.agentTokenHash} is not null`),
		/** Machines without a job, and those that never got one. */
		index("instance_warm").on(t.warmRule).where(sql`${t.attemptId} is null`),
		check("instance_job_with_attempt", sql`(${t.attemptId} is null) = (${t.jobId} is null)`),
		check("instance_warm_is_whole", sql`num_nonnulls(${t.warmRule}, ${t.warmFor}, ${t.warmUntil}) in (0, 3)`),
		check("instance_job_or_warm", sql`${t.attemptId} is not null or ${t.warmRule} is not null`),
		check("instance_assigned_iff_both", sql`(${t.attemptId} is not null and ${t.warmRule} is not null) = (${t.assignedAt} is not null)`),
		check(
			"instance_stopped_in_order",
			sql`(${t.stoppedFrom} is null or ${t.stopCalledAt} is not null)
			and (${t.startCalledAt} is null or (${t.stoppedFrom} is not null and ${t.attemptId} is not null))`,
		),
		check("instance_stopped_only_if_kept", sql`${t.stopCalledAt} is null or (${t.keepStopped} and ${t.capacityType} = 'on_demand')`),
		check("instance_price_positive", sql`${t.microUsdPerHour} > 0`),
		check("instance_terminated_iff_time", sql`(${t.state} = 'terminated') = (${t.terminatedAt} is not null)`),
		check("instance_billed_until_needs_from", sql`${t.billedUntil} is null or ${t.billedFrom} is not null`),
		check("instance_known_from_provisioning", sql`${t.state} not in ('provisioning','ready') or ${t.providerInstanceId} is not null`),
	],
);
