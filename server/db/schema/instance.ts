import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { Offer } from "../../domain/capacity.ts";
import type { Exit } from "../../domain/outcome.ts";
import type { Reason } from "../../domain/reasons.ts";
import { attempt } from "./attempt.ts";
import { durationMs, instant, json, microUsd } from "./columns.ts";
import { capacityType, instanceState, provider } from "./enums.ts";
import { job } from "./job.ts";
import type { StoredDisk } from "./offer.ts";

/** The offer as it was taken, money as decimal strings. */
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
		/** By which the provider's signed documents name it, as the provider told us; null where that is its id, or is not known yet. */
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
		jobId: text()
			.notNull()
			.references(() => job.id),
		attemptId: text()
			.notNull()
			.references(() => attempt.id),
		/** Which of its attempt's machines it is: 0 where one is all, 0 to nodes − 1 in a gang. */
		rank: integer().notNull().default(0),
		/** When the intent was written. */
		intendedAt: instant().notNull(),
		/** First and newest launch call. */
		requestedAt: instant(),
		lastCallAt: instant(),
		calls: integer().notNull().default(0),
		lastError: text(),
		/** When it was asked for, as the provider says. */
		launchedAt: instant(),
		/**
		 * Since when and until when the provider bills its time; this is what is metered. By the provider's own word, or, where
		 * it gives none, as it was seen: then for the whole time in which it may have begun or ended, and the slack is that time.
		 */
		billedFrom: instant(),
		billedFromSlackMs: durationMs().notNull().default(0),
		billedUntil: instant(),
		billedUntilSlackMs: durationMs().notNull().default(0),
		readyAt: instant(),
		/** Under which its peers reach it. */
		privateAddress: text(),
		/** Its part of a gang's work is at hand; the commands start when every machine's is. */
		stagedAt: instant(),
		/** How its command ended; null while it may still run. */
		exit: json<Exit | null>(),
		/** Lines of its own that are stored in the attempt's log. */
		logLines: integer().notNull().default(0),
		/** The provider announced that it takes the machine at this time. */
		interruptionAt: instant(),
		terminatingAt: instant(),
		terminateCalls: integer().notNull().default(0),
		lastTerminateCallAt: instant(),
		terminatedAt: instant(),
		/** When the provider was last asked and showed it. */
		lastSeenAt: instant(),
		/** Since then good answers have left it out; null while they show it. */
		missingSince: instant(),
		/** The agent was last heard. */
		lastHeardAt: instant(),
		/** Its newest heartbeat said that its command stands still so long after our last answer; null: nothing makes it do so. */
		leaseMs: integer(),
		/** Since then its command counts as over although nobody saw its end: it stands still, and may not go on. */
		fencedAt: instant(),
		reason: json<Reason | null>(),
		/** The dead man's switch: the agent ends the machine then, whatever happens to us. */
		expiresAt: instant().notNull(),
		/** sha256 of the one-time secret in the user-data; cleared when used. */
		bootstrapHash: text(),
		agentTokenHash: text(),
		meteredUntil: instant(),
		costMicroUsd: microUsd().notNull().default(sql`0`),
	},
	(t) => [
		uniqueIndex("instance_provider_id").on(t.siteId, t.providerInstanceId).where(sql`${t.providerInstanceId} is not null`),
		index("instance_live").on(t.state).where(sql`${t.state} <> 'terminated'`),
		/** What the meter still has to charge. */
		index("instance_unmetered")
			.on(t.id)
			.where(
				sql`${t.billedFrom} is not null and (${t.meteredUntil} is null or ${t.billedUntil} is null or ${t.meteredUntil} <> ${t.billedUntil})`,
			),
		/** One machine for each rank. */
		uniqueIndex("instance_attempt_rank").on(t.attemptId, t.rank),
		index("instance_job").on(t.jobId),
		index("instance_intended").on(t.intendedAt.desc().nullsFirst(), t.id.desc().nullsFirst()),
		/** In which regions machines of a site were asked for, and when last there. */
		index("instance_region").on(t.siteId, t.region, t.intendedAt.desc().nullsFirst()),
		uniqueIndex("instance_agent_token").on(t.agentTokenHash).where(sql`${t.agentTokenHash} is not null`),
		check("instance_price_positive", sql`${t.microUsdPerHour} > 0`),
		check("instance_terminated_iff_time", sql`(${t.state} = 'terminated') = (${t.terminatedAt} is not null)`),
		check("instance_billed_until_needs_from", sql`${t.billedUntil} is null or ${t.billedFrom} is not null`),
		check("instance_known_from_provisioning", sql`${t.state} not in ('provisioning','ready') or ${t.providerInstanceId} is not null`),
	],
);
