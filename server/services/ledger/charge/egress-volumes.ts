import { eq, inArray, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { setting } from "#server/db/schema/setting.ts";
import { egressCostMicroUsd, internetEgress } from "#server/rates/egress.ts";
import type { RatedProvider } from "#server/rates/offers.ts";
import { egressCounterKey } from "#server/services/pricing/offer/egress-volume.ts";

/** Data that left a region for the internet. */
export interface SentVolume {
	provider: RatedProvider;
	region: string;
	atMs: number;
	bytes: bigint;
}

/**
 * The cost of each volume, µ$, at the tier reached by the volume so far in the provider's month (UTC), which it then counts toward. The
 * months' counters are locked in one order until the transaction ends.
 */
export async function priceVolumes(tx: Tx, volumes: readonly SentVolume[]): Promise<bigint[]> {
	if (volumes.length === 0) return [];
	const counters = await lockCounters(tx, volumes);
	const costs = volumes.map(({ provider, region, atMs, bytes }) => {
		const key = egressCounterKey(provider, region, atMs);
		const sent = counters.get(key) ?? 0n;
		const rate = internetEgress(provider, region);
		counters.set(key, sent + bytes);
		// Charge the difference of two running totals, so that a month's volumes add up to the cost of its bytes as a whole.
		return egressCostMicroUsd(rate, sent + bytes) - egressCostMicroUsd(rate, sent);
	});
	for (const [key, bytes] of counters) await tx.update(setting).set({ value: bytes.toString() }).where(eq(setting.key, key));
	return costs;
}

async function lockCounters(tx: Tx, volumes: readonly SentVolume[]): Promise<Map<string, bigint>> {
	const keys = [...new Set(volumes.map(({ provider, region, atMs }) => egressCounterKey(provider, region, atMs)))].sort();
	await tx
		.insert(setting)
		.values(keys.map((key) => ({ key, value: "0" })))
		.onConflictDoNothing();
	const rows = await tx.select().from(setting).where(inArray(setting.key, keys)).orderBy(sql`${setting.key} collate "C"`).for("update");
	return new Map(rows.map((r) => [r.key, BigInt(String(r.value))]));
}
