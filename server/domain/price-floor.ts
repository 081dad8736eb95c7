import { type MicroUsd, microToUsdText } from "../kernel/money.ts";
import type { Offer } from "./capacity.ts";

/**
 * A price below 1/20 (5%) of the list price is an error or an attack: the deepest spot discount that clouds publish is 90%
 * (server/rates/integrity.ts holds the shipped prices to the same share).
 */
export const PRICE_FLOOR_DIVISOR = 20n;
/** An on-demand price below 1/5 of the shipped one is not believed: clouds have cut list prices by less than half at a time. */
const ON_DEMAND_DIVISOR = 5n;
/** More than this many times below its neighbours, or below its own last price, is not believed either. */
const FAR_FACTOR = 10n;

export interface PriceReferences {
	/** Shipped on-demand list price of the type there, or of its cheapest region; null: the type is not in the shipped list. */
	listMicroUsdPerHour: MicroUsd | null;
	/** Prices of the same type and kind in other zones and regions of the cloud. */
	neighbours: readonly MicroUsd[];
	/** Price of this offer at the previous read; null at the first. */
	previousMicroUsdPerHour: MicroUsd | null;
}

type Priced = Pick<Offer, "capacityType" | "microUsdPerHour" | "onDemandMicroUsdPerHour" | "priceSource">;

/**
 * Replaces a price that is too low to be right by the on-demand price, so that no price source can shrink a hold: a hold is
 * then at least 1/20 of the list price. The reason is added to the source, where people see it (domain/quarantine.ts).
 * A spot price with nothing to compare it to becomes null: such an offer is shown and never chosen.
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

/** The on-demand price as read, unless it is far below the shipped one. */
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

/** The lower middle of the prices; null without any. */
function medianOf(prices: readonly MicroUsd[]): MicroUsd | null {
	const sorted = prices.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
	return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}
