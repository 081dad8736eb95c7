import { type Offer, offerId } from "#server/domain/capacity.ts";
import { defined } from "#server/kernel/assert.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { type AcceleratorName, accelerator } from "#server/rates/accelerators.ts";
import { gridIntensity, homeIntensity } from "#server/rates/carbon.ts";
import { egressMicroUsdPerGiB } from "#server/rates/egress.ts";
import { type ListedPrice, listOffers, type OfferRate, RATED_PROVIDERS } from "#server/rates/offers.ts";
import { ownedRate } from "#server/rates/owned.ts";
import type { ReplayPool } from "#server/simulation/replay/types.ts";

/** A machine room of the US mid-Atlantic grid, where most of the clouds' regions are, too. */
const HOME_ZONE = "US-MIDA-PJM";

/** The shipped catalogue's offers of one model, in all regions of the three clouds. */
export function catalogueOffers(name: AcceleratorName, observedAtMs: number): Offer[] {
	return RATED_PROVIDERS.flatMap((provider) => listOffers(provider))
		.filter((rate) => rate.accelerator === name)
		.flatMap((rate) => {
			const onDemand = offerOf(rate, "on_demand", rate.onDemand, observedAtMs);
			return rate.spot ? [onDemand, offerOf(rate, "spot", rate.spot, observedAtMs)] : [onDemand];
		});
}

/** The clouds bill by the second after the first minute, and start machines of one kind together. */
function offerOf(rate: OfferRate, capacityType: "on_demand" | "spot", price: ListedPrice, observedAtMs: number): Offer {
	const { provider, region, zone, instanceType, gpus, vcpus, memoryGiB } = rate;
	const grid = gridIntensity(provider, region);
	return {
		id: offerId({ provider, region, zone, instanceType, capacityType }),
		siteId: provider,
		provider,
		region,
		zone,
		instanceType,
		accelerator: rate.accelerator,
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
		billedMinimumMs: MINUTE_MS,
		gangs: true,
	};
}

/** An owned pool of the model by the shipped rate card. */
export function catalogueHome(
	name: AcceleratorName,
): Pick<ReplayPool, "accelerator" | "microUsdPerGpuHour" | "wattsPerGpu" | "gridGramsPerKwh" | "pue"> {
	const rate = defined(ownedRate(name), `owned rate of ${name}`);
	const grid = defined(homeIntensity(HOME_ZONE), `grid of ${HOME_ZONE}`);
	const { microUsdPerGpuHour, wattsPerGpu, pue } = rate;
	return { accelerator: name, microUsdPerGpuHour, wattsPerGpu, gridGramsPerKwh: grid.gramsPerKwh, pue };
}

export function boardWattsOf(name: AcceleratorName): Record<string, number> {
	return { [name]: accelerator(name).boardWatts };
}
