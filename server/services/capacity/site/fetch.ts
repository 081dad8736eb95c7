import { and, eq, isNull } from "drizzle-orm";
import type { DbOrTx, Tx } from "#server/db/client.ts";
import { site } from "#server/db/schema/site.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { SiteRow } from "./row.ts";

/** @throws SpillwayError `not_found`, also for a removed site. */
export async function fetchSite(db: DbOrTx, id: string): Promise<SiteRow> {
	const [row] = await db.select().from(site).where(here(id));
	if (!row) throw unknownSite(id);
	return row;
}

/** Locks the site until the transaction ends. @throws SpillwayError `not_found`. */
export async function lockSite(tx: Tx, id: string): Promise<SiteRow> {
	const [row] = await tx.select().from(site).where(here(id)).for("no key update");
	if (!row) throw unknownSite(id);
	return row;
}

function here(id: string) {
	return and(eq(site.id, id), isNull(site.removedAt));
}

function unknownSite(id: string): SpillwayError {
	return new SpillwayError("not_found", `There is no site "${id}".`, { fix: "List sites with: spillway site ls" });
}

/** Audit log fields of a site: where its credentials are stored and when they changed, never their content. */
export function auditedSite({ id, name, provider, enabled, settings, credentialSource, credentialsChangedAt }: SiteRow) {
	const credentials = { source: credentialSource ?? { kind: "chain" }, changedAt: credentialsChangedAt?.toISOString() ?? null };
	return { id, name, provider, enabled, settings, credentials };
}
