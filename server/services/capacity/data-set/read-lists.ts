import { eq } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { setting } from "#server/db/schema/setting.ts";
import { DATA_SETS_SETTING, DATA_STORES_SETTING, type DataSet, type DataStore, storedDataSets, storedDataStores } from "./schemas.ts";

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
