import { sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { offer, offerPrice } from "#server/db/schema/offer.ts";
import type { OfferObservation } from "#server/providers/driver.ts";
import { toStoredDisk } from "../instance/stored-offer.ts";

const BATCH = 500;

/** Writes what a cloud offers now; a price that changed also goes into the price history. Back-off survives. */
export async function refreshOffers(db: Db, observed: readonly OfferObservation[], atMs: number): Promise<void> {
	const seenAt = new Date(atMs);
	for (let i = 0; i < observed.length; i += BATCH) {
		const rows = observed.slice(i, i + BATCH).map((o) => ({
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
