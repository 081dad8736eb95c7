import { and, inArray, isNotNull, isNull } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { offer } from "#server/db/schema/offer.ts";
import { type SweptStray, site } from "#server/db/schema/site.ts";

/** A machine with our tag but without a live row that its site's latest sweep saw running. */
export interface Stray extends SweptStray {
	siteId: string;
	/** Price of its type there by the site's offers; null when they have none for such machines. An estimate. */
	microUsdPerHour: bigint | null;
}

type PricedOffer = Pick<typeof offer.$inferSelect, "siteId" | "region" | "zone" | "instanceType" | "capacityType" | "microUsdPerHour">;

/** Those of all sites, with prices. Cost: one query, and one more when there are any. */
export async function readStrays(db: Db): Promise<Stray[]> {
	const sites = await db.select({ id: site.id, sweep: site.lastSweep }).from(site).where(isNull(site.removedAt));
	const strays = sites.flatMap(({ id, sweep }) =>
		(sweep?.strays ?? []).flatMap((stray) => (stray.goneMs === null ? [{ ...stray, siteId: id }] : [])),
	);
	if (strays.length === 0) return [];
	const offers = await db
		.select()
		.from(offer)
		.where(
			and(
				inArray(offer.siteId, [...new Set(strays.map((s) => s.siteId))]),
				inArray(offer.instanceType, [...new Set(strays.map((s) => s.instanceType))]),
				isNotNull(offer.microUsdPerHour),
			),
		);
	return strays.map((stray) => ({ ...stray, microUsdPerHour: priceOf(stray, offers) }));
}

/** The price of its zone if on offer, else the most expensive of its region: better to overestimate the risk. Pure. */
export function priceOf(stray: Omit<Stray, "microUsdPerHour">, offers: readonly PricedOffer[]): bigint | null {
	const alike = offers.filter(
		(o) =>
			o.siteId === stray.siteId &&
			o.region === stray.region &&
			o.instanceType === stray.instanceType &&
			(stray.capacityType === undefined || o.capacityType === stray.capacityType),
	);
	const inZone = alike.filter((o) => o.zone === stray.zone);
	const prices = (inZone.length > 0 ? inZone : alike).flatMap((o) => o.microUsdPerHour ?? []);
	return prices.reduce<bigint | null>((highest, price) => (highest === null || price > highest ? price : highest), null);
}
