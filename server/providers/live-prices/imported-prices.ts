import type { DatedRate } from "../snapshot-rate.ts";
import { type ListedPrice, mergePrices } from "./merge-prices.ts";

export interface ImportedPrice extends ListedPrice {
	provider: string;
	/** YYYY-MM-DD */
	asOf: string;
	source: string;
}

/** List prices that people imported, over the shipped ones. Each driver that cannot read its provider's live list uses them. */
export class ImportedPrices {
	#prices: readonly ImportedPrice[] = [];
	readonly #merged = new Map<string, readonly DatedRate[]>();

	/** Replaces all imported prices. */
	set(prices: readonly ImportedPrice[]): void {
		this.#prices = prices;
		this.#merged.clear();
	}

	/** The provider's prices. An imported price applies if it is newer than the shipped one, and as plausible as a live one must be. */
	over(provider: string, shipped: readonly DatedRate[]): readonly DatedRate[] {
		const known = this.#merged.get(provider);
		if (known) return known;
		const merged = this.#merge(provider, shipped);
		this.#merged.set(provider, merged);
		return merged;
	}

	#merge(provider: string, shipped: readonly DatedRate[]): readonly DatedRate[] {
		const newest = newestOf(shipped);
		const own = this.#prices.filter((price) => price.provider === provider && price.asOf > (newest.get(placeOf(price)) ?? ""));
		const days = Map.groupBy(own, ({ asOf, source }) => JSON.stringify([asOf, source]));
		return [...days]
			.sort(([a], [b]) => (a < b ? -1 : 1))
			.reduce<readonly DatedRate[]>((rates, [, prices]) => {
				const [{ asOf, source } = { asOf: "", source: "" }] = prices;
				return mergePrices(rates, { source, prices, asOf });
			}, shipped);
	}
}

const placeOf = ({ instanceType, region, capacityType }: Pick<ListedPrice, "instanceType" | "region" | "capacityType">): string =>
	`${capacityType}/${region}/${instanceType}`.toLowerCase();

/** Day of the newest shipped price of each machine and region. */
function newestOf(shipped: readonly DatedRate[]): Map<string, string> {
	const newest = new Map<string, string>();
	for (const rate of shipped) {
		for (const [capacityType, price] of [["on_demand", rate.onDemand] as const, ["spot", rate.spot] as const]) {
			const place = placeOf({ ...rate, capacityType });
			if (price && price.asOf > (newest.get(place) ?? "")) newest.set(place, price.asOf);
		}
	}
	return newest;
}
