import { desc, eq, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { storePrice } from "#server/db/schema/store.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { microToUsdText } from "#server/kernel/money.ts";
import type { StorePrice } from "./prices.ts";

export type PriceOfStore = Pick<StorePrice, "microUsdPerGiBMonth" | "microUsdPerGiBEgress">;

/** Serializes price changes of a store with the meter until the transaction ends. */
export async function lockStorePrice(tx: Tx, storeId: string): Promise<void> {
	await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`store price:${storeId}`}, 0))`);
}

/** Sets the prices of a store from now on; later than every earlier price. */
export async function writeStorePrice(tx: Tx, storeId: string, price: PriceOfStore, clock: Clock): Promise<StorePrice> {
	await lockStorePrice(tx, storeId);
	// Read the clock after taking the lock: a meter that held it has charged only earlier times.
	const nowMs = clock.nowMs();
	const [latest] = await tx
		.select({ from: storePrice.effectiveFrom })
		.from(storePrice)
		.where(eq(storePrice.storeId, storeId))
		.orderBy(desc(storePrice.effectiveFrom))
		.limit(1);
	const fromMs = latest ? Math.max(nowMs, latest.from.getTime() + 1) : nowMs;
	await tx.insert(storePrice).values({ storeId, effectiveFrom: new Date(fromMs), ...price });
	return { fromMs, ...price };
}

/** For the audit log: dollars, null where no price is set. */
export function priceText({ microUsdPerGiBMonth, microUsdPerGiBEgress }: PriceOfStore): Record<string, string | null> {
	const text = (micro: bigint | null) => (micro === null ? null : microToUsdText(micro));
	return { usdPerGiBMonth: text(microUsdPerGiBMonth), usdPerGiBEgress: text(microUsdPerGiBEgress) };
}
