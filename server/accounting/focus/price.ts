import { absolute, decimalText, divideRounded } from "./decimal.ts";

/**
 * FOCUS requires cost = unit price × quantity. Ledger costs are whole micro-dollars (rounded down once over the time
 * of an instance, so that a single charge can be off by less than one). The product therefore matches within one
 * micro-dollar.
 */
const MATCH_MICRO_USD = 1n;

/** Quantities are kept in 10^-12 hours during computation. */
export const PICO = 1_000_000_000_000n;
const MS_PER_HOUR = 3_600_000n;
const PRICE_SCALE = 15;
/** From micro-dollars to the finest exported price, 10^-15 dollars. */
const MICRO_TO_FINEST = 1_000_000_000n;

export interface PricedQuantity {
	/** Text for PricingQuantity, hours. */
	quantity: string;
	listUnitPrice: string;
	contractedUnitPrice: string;
}

export interface TimeCost {
	/** Signed: negative for reversed time. */
	ms: bigint;
	listMicroUsd: bigint;
	contractedMicroUsd: bigint;
	/** Hourly prices on record; null when only the charge itself is known. */
	listMicroUsdPerHour: bigint | null;
	contractedMicroUsdPerHour: bigint | null;
}

/**
 * Quantity and unit prices of time. The quantity is the priced time: if a provider's minimum made it longer than the
 * elapsed time, it is list cost / list price. Null for a cost without any time (a pure correction of money), which has
 * no unit price.
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
 * The price on record if it yields the cost, else cost / quantity with as few decimals as needed to yield it. Null for
 * a zero cost, and when negative.
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
