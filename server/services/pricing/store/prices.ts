import { asc, inArray } from "drizzle-orm";
import type { StoragePrice } from "#server/accounting/storage-cost.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { storePrice } from "#server/db/schema/store.ts";

/** Prices of a store from this time until the next entry. */
export interface StorePrice extends StoragePrice {
	/** Per GiB downloaded from the store; null: no price is set. */
	microUsdPerGiBEgress: bigint | null;
}

/** All prices of these stores (default: all stores), earliest first, by store id; `embedded` is the embedded store. */
export async function pricesOfStores(db: DbOrTx, storeIds?: readonly string[]): Promise<Map<string, StorePrice[]>> {
	const rows = await db
		.select()
		.from(storePrice)
		.where(storeIds && inArray(storePrice.storeId, [...storeIds]))
		.orderBy(asc(storePrice.storeId), asc(storePrice.effectiveFrom));
	const prices = rows.map(({ storeId, effectiveFrom, ...price }) => ({ storeId, fromMs: effectiveFrom.getTime(), ...price }));
	return Map.groupBy(prices, (price) => price.storeId);
}

/** The newest price of each of these stores (default: all stores). Prices are never set for the future. */
export async function currentStorePrices(db: DbOrTx, storeIds?: readonly string[]): Promise<Map<string, StorePrice>> {
	const all = await pricesOfStores(db, storeIds);
	return new Map([...all].flatMap(([id, prices]) => prices.slice(-1).map((price) => [id, price])));
}
