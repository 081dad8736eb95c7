import { type Offer, offerId } from "#server/domain/capacity.ts";
import { gridIntensity } from "#server/rates/carbon.ts";
import { egressMicroUsdPerGiB } from "#server/rates/egress.ts";
import { type ListedPrice, listOffers, type OfferRate } from "#server/rates/offers.ts";

/**
 * The shipped rate card of AWS as offers: on-demand by region, spot by zone, at the snapshot's prices throughout.
 * @param regions those that the site uses; empty: all.
 */
export function offersOfRates(site: { id: string; regions: readonly string[] }, atMs: number): Offer[] {
	const offers = new Map<string, Offer>();
	for (const rate of listOffers("aws")) {
		if (site.regions.length > 0 && !site.regions.includes(rate.region)) continue;
		const onDemand = offerOf(site.id, rate, { zone: null, capacityType: "on_demand", price: rate.onDemand }, atMs);
		offers.set(onDemand.id, onDemand);
		if (!rate.spot) continue;
		const spot = offerOf(site.id, rate, { zone: rate.zone, capacityType: "spot", price: rate.spot }, atMs);
		offers.set(spot.id, spot);
	}
	return [...offers.values()];
}

function offerOf(
	siteId: string,
	rate: OfferRate,
	kind: { zone: string | null; capacityType: "on_demand" | "spot"; price: ListedPrice },
	atMs: number,
): Offer {
	const { provider, region, instanceType, accelerator, gpus, vcpus, memoryGiB } = rate;
	const { zone, capacityType, price } = kind;
	const grid = gridIntensity(provider, region);
	return {
		id: offerId({ provider, region, zone, instanceType, capacityType }),
		siteId,
		provider,
		region,
		zone,
		instanceType,
		accelerator,
		gpus,
		vcpus,
		memoryGiB,
		capacityType,
		microUsdPerHour: price.microUsdPerHour,
		onDemandMicroUsdPerHour: rate.onDemand.microUsdPerHour,
		priceObservedAtMs: atMs,
		priceSource: price.source,
		backoffUntilMs: null,
		backoffReason: null,
		egressMicroUsdPerGiB: egressMicroUsdPerGiB(provider, region),
		gridGramsPerKwh: grid?.gramsPerKwh ?? null,
		pue: grid?.pue ?? null,
	};
}
