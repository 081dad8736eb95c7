import { eq, like } from "drizzle-orm";
import { z } from "zod";
import type { DbOrTx } from "#server/db/client.ts";
import { setting } from "#server/db/schema/setting.ts";
import { writeSetting } from "#server/services/core/setting.ts";

const PREFIX = "data_cached/";
const storedUris = z.array(z.string());

/**
 * Records which of the `listed` data sets an owned site's cache contains. Other addresses are left out: only listed sets are copied ahead.
 * Only the leading scheduler calls it. Cost: a read, and a write when something changed.
 */
export async function recordCachedSets(
	db: DbOrTx,
	{ siteId, uris, listed }: { siteId: string; uris: readonly string[]; listed: ReadonlySet<string> },
): Promise<void> {
	const cached = uris.filter((uri) => listed.has(uri)).toSorted();
	const key = `${PREFIX}${siteId}`;
	const [row] = await db.select({ value: setting.value }).from(setting).where(eq(setting.key, key));
	if (JSON.stringify(row?.value ?? []) !== JSON.stringify(cached)) await writeSetting(db, key, cached);
}

/** The listed data sets in the caches of owned sites, by site; sites without one are absent. */
export async function readCachedSets(db: DbOrTx): Promise<Map<string, string[]>> {
	const rows = await db
		.select()
		.from(setting)
		.where(like(setting.key, `${PREFIX}%`))
		.orderBy(setting.key);
	const sites = rows.map(({ key, value }) => [key.slice(PREFIX.length), storedUris.parse(value)] as const);
	return new Map(sites.filter(([, uris]) => uris.length > 0));
}
