import { eq, like, sql } from "drizzle-orm";
import { z } from "zod";
import type { DbOrTx } from "#server/db/client.ts";
import { setting } from "#server/db/schema/setting.ts";
import { site } from "#server/db/schema/site.ts";
import { siteCacheSchema } from "#server/domain/site-cache.ts";
import { writeSetting } from "#server/services/core/setting.ts";

const PREFIX = "data_cached/";
const storedUris = z.array(z.string());

/** A data set in a site's cache. */
interface CachedSet {
	uri: string;
	bytes: number;
	/** When an attempt last fetched or used it, UTC ms. */
	usedAtMs: number;
}

/** The cache of a site as last read. Earlier programs read only the addresses, under PREFIX. */
const CONTENT_PREFIX = "data_cache_content/";
const storedContent = z.object({
	sets: z.array(z.object({ uri: z.string(), bytes: z.number(), usedAtMs: z.number() })),
	otherSets: z.number(),
	otherBytes: z.number(),
});

/** Listed data sets in the cache of an owned site, and how much else is in it. */
export interface SiteCache extends z.output<typeof storedContent> {
	at: string;
	/** Its size limit; null: sets are deleted after 7 days without use. */
	limitGiB: number | null;
}

/**
 * Records which of the `listed` data sets an owned site's cache contains. Other addresses are left out: only listed sets are copied ahead.
 * Only the leading scheduler calls it. Cost: a read, and a write when something changed.
 */
export async function recordCachedSets(
	db: DbOrTx,
	{ siteId, sets, listed }: { siteId: string; sets: readonly CachedSet[]; listed: ReadonlySet<string> },
): Promise<void> {
	const [own, others] = [sets.filter(({ uri }) => listed.has(uri)), sets.filter(({ uri }) => !listed.has(uri))];
	const content = {
		sets: own.map(({ uri, bytes, usedAtMs }) => ({ uri, bytes, usedAtMs })).toSorted((a, b) => (a.uri < b.uri ? -1 : 1)),
		...{ otherSets: others.length, otherBytes: others.reduce((sum, { bytes }) => sum + bytes, 0) },
	};
	const uris = content.sets.map(({ uri }) => uri);
	await writeIfChanged(db, `${PREFIX}${siteId}`, uris, []);
	await writeIfChanged(db, `${CONTENT_PREFIX}${siteId}`, content, { sets: [], otherSets: 0, otherBytes: 0 });
}

/** `absent`: the value that a missing row means. */
async function writeIfChanged(db: DbOrTx, key: string, value: unknown, absent: unknown): Promise<void> {
	const [row] = await db.select({ value: setting.value }).from(setting).where(eq(setting.key, key));
	if (JSON.stringify(row?.value ?? absent) !== JSON.stringify(value)) await writeSetting(db, key, value);
}

/** The caches of owned sites that contain data, by site. */
export async function readSiteCaches(db: DbOrTx): Promise<SiteCache[]> {
	const rows = await db
		.select({ key: setting.key, value: setting.value, settings: site.settings })
		.from(setting)
		.innerJoin(site, eq(setting.key, sql`${CONTENT_PREFIX} || ${site.id}`))
		.orderBy(site.id);
	return rows.flatMap(({ key, value, settings }) => {
		const content = storedContent.parse(value);
		const limitGiB = siteCacheSchema.safeParse(settings["cache"]).data?.gib ?? null;
		const isEmpty = content.sets.length + content.otherSets === 0;
		return isEmpty ? [] : [{ at: key.slice(CONTENT_PREFIX.length), limitGiB, ...content }];
	});
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
