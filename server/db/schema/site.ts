import { boolean, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { CapacityType } from "../../domain/vocabulary.ts";
import { instant, json, microUsd } from "./columns.ts";
import { provider } from "./enums.ts";

/** `file` and `environment` hold the JSON that `stored` would; the server reads them when it opens the site. */
export type CredentialSource =
	| { kind: "chain" }
	| { kind: "stored" }
	| { kind: "file"; path: string }
	| { kind: "environment"; name: string };

export interface UnpricedPool {
	id: string;
	accelerator: string;
	nodes: number;
	gpusPerNode: number;
	nodesToCome?: number;
}

export interface SweepRecord {
	atMs: number;
	regions: string[];
	/** `sinceMs`: of the first of the sweeps in a row that could not read it. */
	failedRegions: { region: string; message: string; sinceMs?: number }[];
	seen: number;
	owned: number;
	orphans: number;
	/** Machines with our tag and without a row, until some minutes after they were seen gone. */
	strays?: SweptStray[];
}

export interface SweptStray {
	providerInstanceId: string;
	region: string;
	instanceType: string;
	/** As the provider told them; not in records of before. */
	zone?: string | null;
	capacityType?: CapacityType;
	launchedAtMs?: number;
	/** When a sweep first found it, and when one first did not find it any more. */
	sinceMs: number;
	goneMs: number | null;
}

export const site = pgTable("site", {
	id: text().primaryKey(),
	name: text().notNull(),
	provider: provider().notNull(),
	/** false: nothing new is placed there; what runs is watched and ended. */
	enabled: boolean().notNull().default(true),
	/** Taken away. The row stays, because attempts and charges name it. */
	removedAt: instant(),
	/** Non-secret settings of the driver (endpoint, regions); parsed by the driver's own schema. */
	settings: json<Record<string, unknown>>().notNull(),
	/** Where its credentials are; null is `chain`, what the provider's own SDK finds. */
	credentialSource: json<CredentialSource | null>(),
	/** For `stored`: sealed under a key of the credential keys (server/services/site/credential-keys.ts). */
	sealedCredentials: text(),
	credentialsChangedAt: instant(),
	/** Pools of an owned site that nobody has priced yet, as the driver saw them last. */
	unpricedPools: json<UnpricedPool[] | null>(),
	healthy: boolean().notNull().default(false),
	healthMessage: text(),
	/** Since when it does not answer; null while it does. */
	unhealthySince: instant(),
	lastSeenAt: instant(),
	/** Result of the newest sweep for orphans (clouds). */
	lastSweep: json<SweepRecord | null>(),
	lastOrphanAt: instant(),
	/** When the site's own queue was read last; null: it has none, or none that Spillway reads. */
	queueReadAt: instant(),
});

export const pool = pgTable(
	"pool",
	{
		id: text().notNull(),
		siteId: text()
			.notNull()
			.references(() => site.id),
		accelerator: text().notNull(),
		nodes: integer().notNull(),
		/** Of `nodes`, those that are not there now, and that the site would add for a job: they cost nothing. */
		nodesToCome: integer().notNull().default(0),
		/** Lately none of them came, though a job asked: they are unavailable for a while. */
		noneComes: boolean().notNull().default(false),
		gpusPerNode: integer().notNull(),
		unavailableSlots: integer().array().notNull(),
		microUsdPerGpuHour: microUsd().notNull(),
		wattsPerGpu: integer().notNull(),
		/** When idle cost was last metered up to. */
		idleMeteredUntil: instant(),
		/** When the pool began to be owned by this ledger. */
		ownedSince: instant().notNull(),
	},
	(t) => [primaryKey({ columns: [t.siteId, t.id] })],
);
