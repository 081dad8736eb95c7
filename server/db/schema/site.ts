import { boolean, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { CapacityType } from "../../domain/vocabulary.ts";
import { instant, json, microUsd } from "./columns.ts";
import { provider } from "./enums.ts";

/** `file` and `environment` contain the same JSON as `stored`. The server reads them when it opens the site. */
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
	/** `sinceMs`: first of the consecutive sweeps that could not read it. */
	failedRegions: { region: string; message: string; sinceMs?: number }[];
	seen: number;
	owned: number;
	orphans: number;
	/** Machines with our tag and no row, until a few minutes after they ended. */
	strays?: SweptStray[];
}

export interface SweptStray {
	providerInstanceId: string;
	region: string;
	instanceType: string;
	/** Reported by the provider; absent in older records. */
	zone?: string | null;
	capacityType?: CapacityType;
	launchedAtMs?: number;
	/** First sweep with it, and first sweep without it. */
	sinceMs: number;
	goneMs: number | null;
}

export const site = pgTable("site", {
	id: text().primaryKey(),
	name: text().notNull(),
	provider: provider().notNull(),
	/** False: no new placements; running work is still monitored and terminated. */
	enabled: boolean().notNull().default(true),
	/** When it was removed. The row stays, because attempts and charges refer to it. */
	removedAt: instant(),
	/** Non-secret settings of the driver (endpoint, regions); parsed by the driver's own schema. */
	settings: json<Record<string, unknown>>().notNull(),
	/** Where its credentials are; null is `chain`, the default of the provider's SDK. */
	credentialSource: json<CredentialSource | null>(),
	/** For `stored`: sealed under a key of the credential keys (server/services/capacity/site/credential-keys.ts). */
	sealedCredentials: text(),
	credentialsChangedAt: instant(),
	/** Unpriced pools of an owned site, as last reported by the driver. */
	unpricedPools: json<UnpricedPool[] | null>(),
	healthy: boolean().notNull().default(false),
	healthMessage: text(),
	/** When it stopped responding; null while healthy. */
	unhealthySince: instant(),
	lastSeenAt: instant(),
	/** Result of the latest orphan sweep (clouds). */
	lastSweep: json<SweepRecord | null>(),
	lastOrphanAt: instant(),
	/** When the site's own queue was last read; null if there is none to read. */
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
		/** The part of `nodes` that does not exist now but that the autoscaler would add. It costs nothing. */
		nodesToCome: integer().notNull().default(0),
		/** The autoscaler recently failed to add a node, so these nodes are unavailable for a while. */
		noneComes: boolean().notNull().default(false),
		gpusPerNode: integer().notNull(),
		unavailableSlots: integer().array().notNull(),
		microUsdPerGpuHour: microUsd().notNull(),
		wattsPerGpu: integer().notNull(),
		/** Idle cost is metered until this time. */
		idleMeteredUntil: instant(),
		/** Start of idle cost in this ledger. */
		ownedSince: instant().notNull(),
	},
	(t) => [primaryKey({ columns: [t.siteId, t.id] })],
);
