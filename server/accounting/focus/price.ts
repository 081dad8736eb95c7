import { absolute, decimalText, divideRounded } from "./decimal.ts";

/**
 * FOCUS wants cost = unit price × quantity. The ledger's costs are whole micro-dollars (rounded down once over the time of
 * an instance, so a single charge can be off by less than one), so the product is held to match within one micro-dollar.
 */
const MATCH_MICRO_USD = 1n;

/** Quantities are kept in 10^-12 hours while they are computed with. */
export const PICO = 1_000_000_000_000n;
const MS_PER_HOUR = 3_600_000n;
const PRICE_SCALE = 15;
/** From micro-dollars to the finest price that is written, 10^-15 dollars. */
const MICRO_TO_FINEST = 1_000_000_000n;

export interface PricedQuantity {
	/** Text for PricingQuantity, hours. */
	quantity: string;
	listUnitPrice: string;
	contractedUnitPrice: string;
}

export interface TimeCost {
	/** Signed: negative where time is reversed. */
	ms: bigint;
	listMicroUsd: bigint;
	contractedMicroUsd: bigint;
	/** Prices by the hour that are on record; null where the charge itself is all that is known. */
	listMicroUsdPerHour: bigint | null;
	contractedMicroUsdPerHour: bigint | null;
}

/**
 * Quantity and unit prices of time. The quantity is the time that was priced: where a provider's minimum made it longer
 * than the time that passed, it is list cost / list price. Null when a cost stands without any time (a pure correction of
 * money), which has no unit price.
 */
export function priceTime(cost: TimeCost): PricedQuantity | null {
	const list = cost.listMicroUsdPerHour;
	const elapsed = divideRounded(cost.ms * PICO, MS_PER_HOUR);
	const quantity =
		list === null || list === 0n || matches(list, elapsed, cost.listMicroUsd) ? elapsed : divideRounded(cost.listMicroUsd * PICO, list);
	const listUnitPrice = unitPrice(cost.listMicroUsd, quantity, list);
	const contractedUnitPrice = unitPrice(cost.contractedMicroUsd, quantity, cost.contractedMicroUsdPerHour);
	if (listUnitPrice === null || contractedUnitPrice === null) return null;
	return { quantity: decimalText(quantity, 12), listUnitPrice, contractedUnitPrice };
}

export function hoursText(ms: bigint): string {
	return decimalText(divideRounded(ms * PICO, MS_PER_HOUR), 12);
}

/**
 * The price on record where it gives the cost, else cost / quantity in as few decimals as give it. Null for a cost of nothing, and
 * below zero.
 */
function unitPrice(costMicroUsd: bigint, quantityPico: bigint, onRecord: bigint | null): string | null {
	if (onRecord !== null && matches(onRecord, quantityPico, costMicroUsd)) return decimalText(onRecord, 6);
	if (quantityPico === 0n) return costMicroUsd === 0n ? "0" : null;
	if (costMicroUsd < 0n !== quantityPico < 0n && costMicroUsd !== 0n) return null;
	for (let scale = 6; scale <= PRICE_SCALE; scale += 3) {
		const price = divideRounded(
			absolute(costMicroUsd) * MICRO_TO_FINEST * PICO,
			absolute(quantityPico) * 10n ** BigInt(PRICE_SCALE - scale),
		);
		if (scale === PRICE_SCALE || productMatches(price, scale, quantityPico, costMicroUsd)) return decimalText(price, scale);
	}
	return null;
}

function matches(microUsdPerHour: bigint, quantityPico: bigint, costMicroUsd: bigint): boolean {
	return absolute(microUsdPerHour * quantityPico - costMicroUsd * PICO) <= MATCH_MICRO_USD * PICO;
}

function productMatches(price: bigint, scale: number, quantityPico: bigint, costMicroUsd: bigint): boolean {
	const unit = 10n ** BigInt(scale - 6);
	return absolute(price * quantityPico - costMicroUsd * PICO * unit) <= MATCH_MICRO_USD * PICO * unit;
}
