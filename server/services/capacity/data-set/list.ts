import { eq } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { setting } from "#server/db/schema/setting.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { readInboundSpeeds } from "./inbound-speeds.ts";
import { DATA_SETS_SETTING, DATA_STORES_SETTING, type DataSet, type DataStore, storedDataSets, storedDataStores } from "./schemas.ts";
import { readStoredCopies, type StoredCopy } from "./stored-copies.ts";

export interface DataSetsView {
	items: DataSet[];
	/** Where Spillway may copy them before a launch. */
	stores: DataStore[];
	/** Its current and pending copies there. */
	stored: StoredCopy[];
	/** How fast data came into each cloud region lately, MiB/s. */
	inbound: { place: string; mibPerS: number }[];
}

/** @throws SpillwayError `forbidden`. */
export async function listDataSets(ctx: ServiceContext): Promise<DataSetsView> {
	authorize(ctx, "capacity:read", null);
	const speeds = await readInboundSpeeds(ctx.db, ctx.clock.nowMs());
	const inbound = [...speeds].map(([place, mibPerS]) => ({ place, mibPerS })).sort((a, b) => (a.place < b.place ? -1 : 1));
	const [items, stores] = [await readDataSets(ctx.db), await readDataStores(ctx.db)];
	return { items, stores, stored: await readStoredCopies(ctx.db), inbound };
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
