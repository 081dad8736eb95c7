import type { Offer } from "#server/domain/capacity.ts";
import { offerFromRate } from "#server/rates/catalogue-offers.ts";
import { listOffers, type RatedProvider } from "#server/rates/offers.ts";

/**
 * The shipped rate card of a cloud as offers: on-demand by region, spot by zone.
 * @param regions those that the site uses; empty: all
 */
export function offersOfRates(
	site: { id: string; regions: readonly string[]; provider?: RatedProvider; accelerators?: readonly string[] },
	atMs: number,
): Offer[] {
	const offers = new Map<string, Offer>();
	for (const rate of listOffers(site.provider ?? "aws")) {
		if (site.accelerators && !site.accelerators.includes(rate.accelerator)) continue;
		if (site.regions.length > 0 && !site.regions.includes(rate.region)) continue;
		const onDemand = offerFromRate(rate, { siteId: site.id, zone: null, capacityType: "on_demand", price: rate.onDemand }, atMs);
		offers.set(onDemand.id, onDemand);
		if (!rate.spot) continue;
		const spot = offerFromRate(rate, { siteId: site.id, zone: rate.zone, capacityType: "spot", price: rate.spot }, atMs);
		offers.set(spot.id, spot);
	}
	return [...offers.values()];
}
