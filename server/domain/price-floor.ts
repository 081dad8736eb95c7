import { type MicroUsd, microToUsdText } from "../kernel/money.ts";
import type { Offer } from "./capacity.ts";

/**
 * A price below 1/20 (5%) of the list price is an error or an attack: the deepest published spot discount is 90%
 * (server/rates/integrity.ts applies the same share to the shipped prices).
 */
export const PRICE_FLOOR_DIVISOR = 20n;
/** An on-demand price below 1/5 of the shipped price is rejected: clouds have never cut list prices by more than half at once. */
const ON_DEMAND_DIVISOR = 5n;
/** A price more than this many times below its neighbors, or below its own last value, is rejected too. */
const FAR_FACTOR = 10n;

export interface PriceReferences {
	/** Shipped on-demand list price of the type there, or in its cheapest region; null: the type is not in the shipped list. */
	listMicroUsdPerHour: MicroUsd | null;
	/** Prices of the same type and capacity type in other zones and regions of the cloud. */
	neighbours: readonly MicroUsd[];
	/** Price of this offer at the previous read; null at the first. */
	previousMicroUsdPerHour: MicroUsd | null;
}

type Priced = Pick<Offer, "capacityType" | "microUsdPerHour" | "onDemandMicroUsdPerHour" | "priceSource">;

/**
 * Replaces an implausibly low price with the on-demand price, so that no price source can shrink a hold: a hold is
 * then at least 1/20 of the list price. The reason is appended to the source, where people see it
 * (domain/quarantine.ts). A spot price with nothing to compare it to becomes null: such an offer is shown and never
 * chosen.
 */
export function floorPrice<T extends Priced>(offer: T, references: PriceReferences): T {
	const onDemand = floorOnDemand(offer.onDemandMicroUsdPerHour, references.listMicroUsdPerHour);
	const price = offer.microUsdPerHour;
	if (price === null) return { ...offer, onDemandMicroUsdPerHour: onDemand };
	const held = maxOf(onDemand, references.listMicroUsdPerHour);
	if (held === null) {
		if (offer.capacityType !== "spot") return offer;
		return { ...offer, microUsdPerHour: null, priceSource: `${offer.priceSource}: refused, since no list price is known to compare it to` };
	}
	if (offer.capacityType !== "spot") {
		const kept = floorOnDemand(price, references.listMicroUsdPerHour);
		if (kept === price || kept === null) return { ...offer, onDemandMicroUsdPerHour: onDemand };
		const why = `$${microToUsdText(price)} is below a fifth of the shipped list price ($${microToUsdText(kept)})`;
		return { ...offer, microUsdPerHour: kept, onDemandMicroUsdPerHour: kept, priceSource: `${offer.priceSource}: refused, since ${why}` };
	}
	const why = refusalOf(price, held, references);
	if (why === null) return { ...offer, onDemandMicroUsdPerHour: onDemand };
	const priceSource = `${offer.priceSource}: refused, since $${microToUsdText(price)} is ${why}; counted at the on-demand price`;
	return { ...offer, microUsdPerHour: held, onDemandMicroUsdPerHour: held, priceSource };
}

/** The on-demand price as read, unless it is far below the shipped price. */
function floorOnDemand(read: MicroUsd | null, shipped: MicroUsd | null): MicroUsd | null {
	return read !== null && shipped !== null && read * ON_DEMAND_DIVISOR < shipped ? shipped : read;
}

function refusalOf(price: MicroUsd, onDemand: MicroUsd, references: PriceReferences): string | null {
	if (price * PRICE_FLOOR_DIVISOR < onDemand) return `below 5% of the on-demand price ($${microToUsdText(onDemand)})`;
	const usual = medianOf(references.neighbours);
	if (usual !== null && price * FAR_FACTOR < usual)
		return `more than ${FAR_FACTOR} times below the same machine's elsewhere ($${microToUsdText(usual)})`;
	const last = references.previousMicroUsdPerHour;
	if (last !== null && price * FAR_FACTOR < last) return `more than ${FAR_FACTOR} times below its last price ($${microToUsdText(last)})`;
	return null;
}

function maxOf(a: MicroUsd | null, b: MicroUsd | null): MicroUsd | null {
	return a === null || (b !== null && b > a) ? b : a;
}

/** The lower median of the prices; null if there are none. */
function medianOf(prices: readonly MicroUsd[]): MicroUsd | null {
	const sorted = prices.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
	return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}
