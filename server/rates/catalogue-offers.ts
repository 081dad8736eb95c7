import { type Offer, offerId } from "#server/domain/capacity.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { gridIntensity } from "./carbon.ts";
import { egressMicroUsdPerGiB } from "./egress.ts";
import { type ListedPrice, listOffers, type OfferRate, RATED_PROVIDERS } from "./offers.ts";

/** How a rate is offered: zone, capacity type, and which of its prices. */
export interface RateKind {
	siteId: string;
	zone: string | null;
	capacityType: "on_demand" | "spot";
	price: ListedPrice;
}

/** A rate of the shipped catalog as an offer, at the snapshot's price. */
export function offerFromRate(rate: OfferRate, { siteId, zone, capacityType, price }: RateKind, observedAtMs: number): Offer {
	const { provider, region, instanceType, accelerator, gpus, vcpus, memoryGiB } = rate;
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
		priceObservedAtMs: observedAtMs,
		priceSource: price.source,
		backoffUntilMs: null,
		backoffReason: null,
		egressMicroUsdPerGiB: egressMicroUsdPerGiB(provider, region),
		gridGramsPerKwh: grid?.gramsPerKwh ?? null,
		pue: grid?.pue ?? null,
	};
}

/**
 * The whole catalog, with every provider as its own site. Clouds bill by the second with a one-minute minimum, and
 * start machines of one kind together.
 */
export function catalogOffers(observedAtMs: number): Offer[] {
	return RATED_PROVIDERS.flatMap((provider) => listOffers(provider)).flatMap((rate) => {
		const of = (capacityType: RateKind["capacityType"], price: ListedPrice): Offer => {
			const kind = { siteId: rate.provider, zone: rate.zone, capacityType, price };
			return { ...offerFromRate(rate, kind, observedAtMs), billedMinimumMs: MINUTE_MS, gangs: true };
		};
		return rate.spot ? [of("on_demand", rate.onDemand), of("spot", rate.spot)] : [of("on_demand", rate.onDemand)];
	});
}
