import { ANY_SOURCE, type LinkSpeed, linkKey, UNKNOWN_LINK } from "#server/scheduling/link-speed.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { readCachedSets, readSiteCaches, type SiteCache } from "./cached-sets.ts";
import { readLinkSpeeds } from "./inbound-speeds.ts";
import { readDataSets, readDataStores } from "./read-lists.ts";
import type { DataSet, DataStore } from "./schemas.ts";
import { readSharing, type SharedSet } from "./share-copies.ts";
import { readStoredCopies, type StoredCopy } from "./stored-copies.ts";

export interface DataSetsView {
	items: DataSet[];
	/** Where Spillway may copy them before a launch. */
	stores: DataStore[];
	/** Its current and pending copies there. */
	stored: StoredCopy[];
	/** Listed sets in the caches of owned sites. */
	cached: { at: string; uris: string[] }[];
	/** The same caches with size and age. */
	caches: SiteCache[];
	/** Sets that jobs read from elsewhere, and whether a copy in the place's store would pay for itself. */
	sharing: SharedSet[];
	/** Speeds into cloud regions by source; the source `*` is any. The last row, into `*`, is the published start value. */
	inbound: ({ from: string; place: string } & LinkSpeed)[];
}

/** @throws SpillwayError `forbidden`. */
export async function listDataSets(ctx: ServiceContext): Promise<DataSetsView> {
	authorize(ctx, "capacity:read", null);
	const [items, stores] = [await readDataSets(ctx.db), await readDataStores(ctx.db)];
	const links = await readLinkSpeeds(ctx.db, ctx.clock.nowMs(), items);
	const learned = [...links].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, speed]) => ({ ...endsOf(key), ...speed }));
	const inbound = [...learned, { ...endsOf(linkKey(ANY_SOURCE, ANY_SOURCE)), ...UNKNOWN_LINK }];
	const cached = [...(await readCachedSets(ctx.db))].map(([at, uris]) => ({ at, uris }));
	const [caches, sharing] = [await readSiteCaches(ctx.db), await readSharing(ctx.db, ctx.clock.nowMs())];
	return { items, stores, stored: await readStoredCopies(ctx.db, stores), cached, caches, sharing, inbound };
}

function endsOf(key: string): { from: string; place: string } {
	const [from = ANY_SOURCE, place = ANY_SOURCE] = key.split(" ");
	return { from, place };
}
