import { ACCELERATOR_NAMES, acceleratorsNamed, listAccelerators } from "#server/rates/accelerators.ts";
import { averagePue, homeIntensity } from "#server/rates/carbon.ts";
import { catalogOffers } from "#server/rates/catalogue-offers.ts";
import { ownedRate } from "#server/rates/owned.ts";
import { throughputPrior } from "#server/rates/throughput.ts";
import type { ShippedFacts } from "#server/simulation/scenario-file/context.ts";

/** The shipped rate card, catalog and intensities, for scenarios that use them. */
export const SHIPPED_FACTS: ShippedFacts = {
	offers: catalogOffers,
	ownedRate: (accelerator) => {
		const name = ACCELERATOR_NAMES.find((known) => known === accelerator);
		return name === undefined ? null : ownedRate(name);
	},
	onPremisesPue: averagePue("on_premises").pue,
	gridZone: (zone) => homeIntensity(zone)?.gramsPerKwh ?? null,
	acceleratorsNamed,
	throughputPrior: throughputPrior(),
	boardWatts: Object.fromEntries(listAccelerators().map((model) => [model.name, model.boardWatts])),
};
