import type { Offer } from "#server/domain/capacity.ts";
import { assert } from "#server/kernel/assert.ts";
import { toStoredOffer } from "#server/services/pricing/offer/stored-offer.ts";

/** The columns of a new instance that follow from its offer. */
export function columnsOfOffer(offer: Offer) {
	const { siteId, provider, region, zone, instanceType, capacityType, accelerator, gpus } = offer;
	return {
		...{ siteId, provider, region, zone, instanceType, capacityType, accelerator, gpus },
		offer: toStoredOffer(offer),
		microUsdPerHour: ownPriceOf(offer),
	};
}

/**
 * Hourly cost of the machine without a commitment: the offer's price, or the on-demand price of the same machine for reserved capacity,
 * since its marginal price may be 0.
 */
function ownPriceOf(offer: Offer): bigint {
	const price = offer.capacityType === "reserved" ? (offer.onDemandMicroUsdPerHour ?? offer.microUsdPerHour) : offer.microUsdPerHour;
	assert(price !== null && price > 0n, "an offer without a price was chosen");
	return price;
}
