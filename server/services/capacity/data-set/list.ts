import { eq } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { setting } from "#server/db/schema/setting.ts";
import { ANY_SOURCE, type LinkSpeed, linkKey, UNKNOWN_LINK } from "#server/scheduling/link-speed.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { readCachedSets } from "./cached-sets.ts";
import { readLinkSpeeds } from "./inbound-speeds.ts";
import { DATA_SETS_SETTING, DATA_STORES_SETTING, type DataSet, type DataStore, storedDataSets, storedDataStores } from "./schemas.ts";
import { readStoredCopies, type StoredCopy } from "./stored-copies.ts";

export interface DataSetsView {
	items: DataSet[];
	/** Where Spillway may copy them before a launch. */
	stores: DataStore[];
	/** Its current and pending copies there. */
	stored: StoredCopy[];
	/** Listed sets in the caches of owned sites. */
	cached: { at: string; uris: string[] }[];
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
	return { items, stores, stored: await readStoredCopies(ctx.db, stores), cached, inbound };
}

function endsOf(key: string): { from: string; place: string } {
	const [from = ANY_SOURCE, place = ANY_SOURCE] = key.split(" ");
	return { from, place };
}

/** As readDataSets. */
export async function readDataStores(db: DbOrTx): Promise<DataStore[]> {
	const [row] = await db.select({ value: setting.value }).from(setting).where(eq(setting.key, DATA_STORES_SETTING));
	return storedDataStores.parse(row?.value ?? []);
}

/** For the scheduler's own use: no authorization. */
export async function readDataSets(db: DbOrTx): Promise<DataSet[]> {
	const [row] = await db.select({ value: setting.value }).from(setting).where(eq(setting.key, DATA_SETS_SETTING));
	return storedDataSets.parse(row?.value ?? []);
}
