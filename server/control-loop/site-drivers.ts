import { createHash } from "node:crypto";
import { and, asc, eq, exists, gt, inArray, isNull, ne, or, sql } from "drizzle-orm";
import { z } from "zod";
import type { Db } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { site } from "#server/db/schema/site.ts";
import type { Expiry } from "#server/domain/alert-facts.ts";
import { LIVE_ATTEMPT_STATES } from "#server/domain/states.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import type { CloudDriver, ClusterDriver } from "#server/providers/driver.ts";
import type { OpenedSite, SitePlace } from "#server/providers/site-kind.ts";
import type { CredentialKeys } from "#server/services/capacity/site/credential-keys.ts";

import { credentialsOf, resealCredentials } from "#server/services/capacity/site/credentials.ts";
import { setSiteHealth } from "#server/services/capacity/site/health.ts";
import type { SiteRow } from "#server/services/capacity/site/row.ts";
import { findSiteExpiries } from "#server/services/overview/expiry/find.ts";
import { resealSecrets } from "#server/services/work/secret/deliver.ts";
import type { LoopContext } from "./context.ts";

export interface SiteDriversOptions {
	db: Db;
	clock: Clock;
	keys: CredentialKeys;
	controlPlane: string;
	open(row: SiteRow, place: SitePlace): OpenedSite;
	log: LoopContext["log"];
}

/**
 * A driver for each site that is enabled or had one of our machines within the last day, so that a sweep finds late launches.
 * `look` syncs the drivers with the rows: it opens new sites, reopens changed ones and closes removed ones. A site that
 * cannot be opened is marked unhealthy with the reason and does not affect others.
 */
export class SiteDrivers {
	readonly clusters = new Map<string, ClusterDriver>();
	readonly clouds = new Map<string, CloudDriver>();
	readonly #options: SiteDriversOptions;
	/** The inputs of each driver. A replaced credentials file makes a new one. */
	readonly #madeOf = new Map<string, string>();
	readonly #told = new Map<string, string>();

	constructor(options: SiteDriversOptions) {
		this.#options = options;
	}

	/** Replaced drivers, closed once their last user is done. */
	async look(): Promise<void> {
		const { db, keys, log } = this.#options;
		const resealed = await resealCredentials(db, keys).catch((error: unknown) => {
			this.#tell("", `credentials could not be sealed under the newest key: ${wordsOf(error)}`);
			return 0;
		});
		if (resealed > 0) log("info", "Resealed credentials with the latest key", { sites: resealed });
		const secrets = await resealSecrets(db, keys).catch((error: unknown) => {
			this.#tell("", `secrets could not be sealed under the newest key: ${wordsOf(error)}`);
			return 0;
		});
		if (secrets > 0) log("info", "Resealed secrets with the latest key", { secrets });
		const rows = await readOpenSites(db, this.#options.clock.nowMs());
		const ids = new Set(rows.map((row) => row.id));
		for (const id of this.#madeOf.keys()) if (!ids.has(id)) this.#forget(id);
		await Promise.all(rows.map((row) => this.#lookAt(row)));
	}

	async #lookAt(row: SiteRow): Promise<void> {
		const { db, clock, keys, controlPlane, open } = this.#options;
		try {
			const credentials = await credentialsOf(keys, row);
			const madeOf = createHash("sha256")
				.update(JSON.stringify([row.provider, row.settings, credentials]))
				.digest("hex");
			if (this.#madeOf.get(row.id) === madeOf) return;
			const opened = open(row, { siteId: row.id, settings: row.settings, credentials, controlPlane });
			// The first look is before this process leads: a leader that is busy loading loses its leadership.
			await opened.loadSdk?.();
			this.#forget(row.id);
			if (opened.kind === "cloud") this.clouds.set(row.id, opened.driver);
			else this.clusters.set(row.id, opened.driver);
			this.#madeOf.set(row.id, madeOf);
			this.#told.delete(row.id);
		} catch (error) {
			const message = wordsOf(error);
			this.#forget(row.id);
			this.#tell(row.id, message);
			await setSiteHealth(db, { siteId: row.id, healthy: false, message, atMs: clock.nowMs() });
		}
	}

	/** When the certificates and credentials of enabled sites end. */
	async findExpiries(): Promise<Expiry[]> {
		const { db, keys } = this.#options;
		const rows = await db
			.select()
			.from(site)
			.where(and(eq(site.enabled, true), isNull(site.removedAt)));
		const found = await Promise.all(
			rows.map(async ({ id, name, settings, ...row }) => {
				const credentials = await credentialsOf(keys, { id, ...row }).catch(() => null);
				return findSiteExpiries({ id, name, settings, credentials });
			}),
		);
		return found.flat();
	}

	#forget(id: string): void {
		this.clusters.delete(id);
		this.clouds.delete(id);
		this.#madeOf.delete(id);
	}

	/** Logs each message once, because sites are checked every few seconds. */
	#tell(siteId: string, message: string): void {
		if (this.#told.get(siteId) === message) return;
		this.#told.set(siteId, message);
		this.#options.log("error", "Could not open a site; retrying", { siteId, error: message });
	}
}

/** A disabled site is swept for this long after its last machine. */
const SWEPT_ON_MS = DAY_MS;

async function readOpenSites(db: Db, nowMs: number): Promise<SiteRow[]> {
	const isOfLate = or(ne(instance.state, "terminated"), gt(instance.terminatedAt, new Date(nowMs - SWEPT_ON_MS)));
	const living = or(
		eq(site.enabled, true),
		exists(
			db
				.select({ one: sql`1` })
				.from(instance)
				.where(and(eq(instance.siteId, site.id), isOfLate)),
		),
		exists(
			db
				.select({ one: sql`1` })
				.from(attempt)
				.where(and(eq(attempt.siteId, site.id), inArray(attempt.state, [...LIVE_ATTEMPT_STATES]))),
		),
		// Machines that the last sweep saw, with or without a job.
		sql`(${site.lastSweep}->>'seen')::int > 0`,
	);
	return db
		.select()
		.from(site)
		.where(and(isNull(site.removedAt), living))
		.orderBy(asc(site.id));
}

function wordsOf(error: unknown): string {
	if (error instanceof z.ZodError) {
		const wrong = error.issues.map((issue) => `${issue.path.join(".") || "settings"}: ${issue.message}`);
		return `its settings are wrong: ${wrong.join("; ")}`;
	}
	return error instanceof Error ? error.message : String(error);
}
