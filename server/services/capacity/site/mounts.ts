import { and, eq, isNull, sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { site } from "#server/db/schema/site.ts";
import { mountsOf, type SiteMount } from "#server/domain/site-mount.ts";

/** Names of the mounts of every enabled site that has any, by site id; undefined when no site has any. */
export async function readMountNames(db: DbOrTx): Promise<ReadonlyMap<string, readonly string[]> | undefined> {
	const rows = await db
		.select({ id: site.id, settings: site.settings })
		.from(site)
		.where(and(eq(site.enabled, true), isNull(site.removedAt), sql`${site.settings} -> 'mounts' is not null`))
		.orderBy(site.id);
	return mountNamesOf(rows);
}

/** The same of sites that were read already. */
export function mountNamesOf(
	sites: readonly { id: string; settings: Record<string, unknown> }[],
): ReadonlyMap<string, readonly string[]> | undefined {
	const names = sites
		.map(({ id, settings }) => [id, mountsOf(settings).map(({ name }) => name)] as const)
		.filter(([, all]) => all.length > 0);
	return names.length === 0 ? undefined : new Map(names);
}

/** The mounts of a site; none when it was removed. */
export async function readSiteMounts(db: DbOrTx, siteId: string): Promise<SiteMount[]> {
	const [row] = await db.select({ settings: site.settings }).from(site).where(eq(site.id, siteId));
	return mountsOf(row?.settings ?? {});
}
