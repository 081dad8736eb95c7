import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "#server/api/trpc/router.ts";

export type OfferView = inferRouterOutputs<AppRouter>["offer"]["list"]["items"][number];

/** The cheapest zone of a region per machine and capacity type, with the zone count. */
export interface OfferLine {
	offer: OfferView;
	zones: number;
}

/** One line per region, machine and capacity type, ordered by the cheapest zone. */
export function groupOffers(items: readonly OfferView[]): OfferLine[] {
	const lines = new Map<string, OfferLine>();
	for (const offer of items) {
		const key = `${offer.provider}|${offer.region}|${offer.instanceType}|${offer.capacityType}`;
		const known = lines.get(key);
		if (known) known.zones += 1;
		else lines.set(key, { offer, zones: 1 });
	}
	return [...lines.values()];
}

/** The date of a price list, as in "list price of 2026-07-20: …"; null for market prices. */
export function listPriceDay(source: string): string | null {
	return /^list price of (\d{4}-\d\d-\d\d)/.exec(source)?.[1] ?? null;
}
