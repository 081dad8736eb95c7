import { type Offer, offerId } from "#server/domain/capacity.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { ACCELERATOR_NAMES, acceleratorsNamed, listAccelerators } from "#server/rates/accelerators.ts";
import { averagePue, gridIntensity, homeIntensity } from "#server/rates/carbon.ts";
import { egressMicroUsdPerGiB } from "#server/rates/egress.ts";
import { type ListedPrice, listOffers, type OfferRate, RATED_PROVIDERS } from "#server/rates/offers.ts";
import { ownedRate } from "#server/rates/owned.ts";
import type { ShippedFacts } from "#server/simulation/scenario-file/read-scenario.ts";

/** The shipped rate card, catalogue and intensities, as a scenario may call for them. */
export const SHIPPED_FACTS: ShippedFacts = {
	offers: (observedAtMs) =>
		RATED_PROVIDERS.flatMap((provider) => listOffers(provider)).flatMap((rate) => {
			const onDemand = offerOf(rate, { capacityType: "on_demand", price: rate.onDemand }, observedAtMs);
			return rate.spot ? [onDemand, offerOf(rate, { capacityType: "spot", price: rate.spot }, observedAtMs)] : [onDemand];
		}),
	ownedRate: (accelerator) => {
		const name = ACCELERATOR_NAMES.find((known) => known === accelerator);
		return name === undefined ? null : ownedRate(name);
	},
	onPremisesPue: averagePue("on_premises").pue,
	gridZone: (zone) => homeIntensity(zone)?.gramsPerKwh ?? null,
	acceleratorsNamed,
	boardWatts: Object.fromEntries(listAccelerators().map((model) => [model.name, model.boardWatts])),
};

/** The clouds bill by the second from the first minute on. */
function offerOf(rate: OfferRate, kind: { capacityType: "on_demand" | "spot"; price: ListedPrice }, observedAtMs: number): Offer {
	const { provider, region, zone, instanceType, accelerator, gpus, vcpus, memoryGiB } = rate;
	const { capacityType, price } = kind;
	const grid = gridIntensity(provider, region);
	return {
		...{ id: offerId({ provider, region, zone, instanceType, capacityType }), siteId: provider },
		...{ provider, region, zone, instanceType, accelerator, gpus, vcpus, memoryGiB, capacityType },
		microUsdPerHour: price.microUsdPerHour,
		onDemandMicroUsdPerHour: rate.onDemand.microUsdPerHour,
		...{ priceObservedAtMs: observedAtMs, priceSource: price.source, backoffUntilMs: null, backoffReason: null },
		egressMicroUsdPerGiB: egressMicroUsdPerGiB(provider, region),
		...{ gridGramsPerKwh: grid?.gramsPerKwh ?? null, pue: grid?.pue ?? null },
		...{ billedMinimumMs: MINUTE_MS, gangs: true },
	};
}
