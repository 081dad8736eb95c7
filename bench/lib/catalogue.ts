import type { Offer } from "#server/domain/capacity.ts";
import { defined } from "#server/kernel/assert.ts";
import { type AcceleratorName, accelerator } from "#server/rates/accelerators.ts";
import { homeIntensity } from "#server/rates/carbon.ts";
import { catalogOffers } from "#server/rates/catalogue-offers.ts";
import { ownedRate } from "#server/rates/owned.ts";
import type { ReplayPool } from "#server/simulation/replay/types.ts";

/** A machine room on the US mid-Atlantic grid, like most of the clouds' regions. */
export const HOME_ZONE = "US-MIDA-PJM";

/** The shipped catalog's offers of one model, in all regions of the three clouds. */
export function offersOf(name: AcceleratorName, observedAtMs: number): Offer[] {
	return catalogOffers(observedAtMs).filter((offer) => offer.accelerator === name);
}

/** An owned pool of the model at the shipped rate card. */
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
