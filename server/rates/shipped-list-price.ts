import { listOffers, RATED_PROVIDERS } from "./offers.ts";

let index: Map<string, bigint> | undefined;

/**
 * Shipped on-demand list price of a type: the lowest in the region, or in any region; null when the list lacks the
 * type. USD millionths per hour.
 */
export function shippedListPrice(at: { provider: string; instanceType: string; region: string }): bigint | null {
	index ??= build();
	const type = `${at.provider}|${at.instanceType}`;
	return index.get(`${type}|${at.region}`) ?? index.get(type) ?? null;
}

function build(): Map<string, bigint> {
	const lowest = new Map<string, bigint>();
	for (const provider of RATED_PROVIDERS) {
		for (const { instanceType, region, onDemand } of listOffers(provider)) {
			const type = `${provider}|${instanceType}`;
			for (const key of [type, `${type}|${region}`]) {
				const known = lowest.get(key);
				if (known === undefined || onDemand.microUsdPerHour < known) lowest.set(key, onDemand.microUsdPerHour);
			}
		}
	}
	return lowest;
}
