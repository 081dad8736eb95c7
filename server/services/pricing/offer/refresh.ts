import { inArray, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { offer, offerPrice } from "#server/db/schema/offer.ts";
import { floorPrice } from "#server/domain/price-floor.ts";
import type { OfferObservation } from "#server/providers/driver.ts";
import { shippedListPrice } from "#server/rates/shipped-list-price.ts";
import { toStoredDisk } from "./stored-offer.ts";

const BATCH = 500;

/**
 * Writes a cloud's current offers; changed prices are also added to the price history. Back-off is kept. This is the only writer
 * of offers, so the price floor applies to every driver here.
 */
export async function refreshOffers(db: Db, observed: readonly OfferObservation[], atMs: number): Promise<void> {
	const seenAt = new Date(atMs);
	const neighboursOf = neighboursIn(observed);
	for (let i = 0; i < observed.length; i += BATCH) {
		const batch = observed.slice(i, i + BATCH);
		const last = await lastPrices(db, batch);
		const floored = batch.map((read) =>
			floorPrice(read, {
				listMicroUsdPerHour: shippedListPrice(read),
				neighbours: neighboursOf(read),
				previousMicroUsdPerHour: last.get(read.id) ?? null,
			}),
		);
		const rows = floored.map((o) => ({
			id: o.id,
			siteId: o.siteId,
			provider: o.provider,
			region: o.region,
			zone: o.zone,
			instanceType: o.instanceType,
			accelerator: o.accelerator,
			gpus: o.gpus,
			vcpus: o.vcpus,
			memoryGiB: o.memoryGiB,
			capacityType: o.capacityType,
			microUsdPerHour: o.microUsdPerHour,
			onDemandMicroUsdPerHour: o.onDemandMicroUsdPerHour,
			priceObservedAt: new Date(o.priceObservedAtMs),
			priceSource: o.priceSource,
			disk: o.disk ? toStoredDisk(o.disk) : null,
			quota: o.quota ?? null,
			seenAt,
		}));
		await db.transaction(async (tx) => {
			const before = await tx
				.select({ id: offer.id, price: offer.microUsdPerHour })
				.from(offer)
				.where(sql`${offer.id} in ${rows.map((r) => r.id)}`);
			const known = new Map(before.map((b) => [b.id, b.price]));
			await tx
				.insert(offer)
				.values(rows)
				.onConflictDoUpdate({
					target: offer.id,
					set: {
						microUsdPerHour: sql`excluded.micro_usd_per_hour`,
						onDemandMicroUsdPerHour: sql`excluded.on_demand_micro_usd_per_hour`,
						priceObservedAt: sql`excluded.price_observed_at`,
						priceSource: sql`excluded.price_source`,
						disk: sql`excluded.disk`,
						quota: sql`excluded.quota`,
						seenAt: sql`excluded.seen_at`,
						gpus: sql`excluded.gpus`,
						vcpus: sql`excluded.vcpus`,
						memoryGiB: sql`excluded.memory_gi_b`,
						accelerator: sql`excluded.accelerator`,
					},
				});
			const changed = rows.flatMap((r) =>
				r.microUsdPerHour !== null && known.get(r.id) !== r.microUsdPerHour
					? [{ offerId: r.id, observedAt: r.priceObservedAt, microUsdPerHour: r.microUsdPerHour }]
					: [],
			);
			if (changed.length > 0) await tx.insert(offerPrice).values(changed);
		});
	}
}

/** Prices of the same machine and capacity type at the other places read with it. */
function neighboursIn(observed: readonly OfferObservation[]): (of: OfferObservation) => bigint[] {
	const keyOf = (o: OfferObservation) => `${o.provider}|${o.instanceType}|${o.capacityType}`;
	const groups = Map.groupBy(observed, keyOf);
	return (of) => (groups.get(keyOf(of)) ?? []).flatMap((o) => (o.id === of.id || o.microUsdPerHour === null ? [] : [o.microUsdPerHour]));
}

async function lastPrices(db: Db, batch: readonly OfferObservation[]): Promise<Map<string, bigint | null>> {
	const ids = batch.map((o) => o.id);
	const rows = await db.select({ id: offer.id, price: offer.microUsdPerHour }).from(offer).where(inArray(offer.id, ids));
	return new Map(rows.map((r) => [r.id, r.price]));
}
