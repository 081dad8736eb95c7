import { SpillwayError } from "#server/kernel/errors.ts";
import { catalogOffers } from "#server/rates/catalogue-offers.ts";

/** Google Cloud's list price of one GPU in us-central1, USD per hour, as used by Gavel (Narayanan et al., OSDI 2020, table 5). */
const LIST_USD: Readonly<Record<string, number>> = { "K80-12GB": 0.45, "P100-16GB": 1.46, "V100-16GB": 2.48 };

/**
 * USD per hour of one GPU by accelerator: as given (`NAME=USD`), else the list price above, else the cheapest on-demand price of the
 * catalog.
 * @throws SpillwayError `invalid_input` for an accelerator without a price.
 */
export function hourlyPrices(accelerators: readonly string[], given: readonly string[]): Map<string, number> {
	const said = new Map(
		given.map((text): [string, number] => [text.slice(0, text.lastIndexOf("=")), Number(text.slice(text.lastIndexOf("=") + 1))]),
	);
	const prices = new Map<string, number>();
	for (const name of accelerators) {
		const usd = said.get(name) ?? LIST_USD[name] ?? cheapestUsd(name);
		if (!(usd > 0) || !Number.isFinite(usd)) {
			throw new SpillwayError("invalid_input", `No price is known for ${name}.`, { fix: `Give one: --price ${name}=1.50` });
		}
		prices.set(name, usd);
	}
	return prices;
}

function cheapestUsd(accelerator: string): number {
	const offers = catalogOffers(0).filter((o) => o.accelerator === accelerator && o.capacityType === "on_demand");
	return offers.reduce((least, o) => Math.min(least, Number(o.microUsdPerHour ?? 0n) / 1e6 / o.gpus || least), Number.POSITIVE_INFINITY);
}
