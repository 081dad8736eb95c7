import { mulDivCeil, mulDivFloor } from "#server/kernel/money.ts";
import { MONTH_PARTS, monthParts } from "./disk.ts";

const BYTES_PER_GIB = 1_073_741_824n;

/** A storage price from a point in time (UTC ms) until the next one. */
export interface StoragePrice {
	fromMs: number;
	/** Per GiB (2^30 bytes) and calendar month, of 28 to 31 days; null: no price is set, and nothing is charged. */
	microUsdPerGiBMonth: bigint | null;
}

/** One stored item. */
export interface KeptObject {
	bytes: bigint;
	/** At the store's current price; null: no price is set. */
	microUsdPerGiBMonth: bigint | null;
	/** When it is deleted, UTC ms; null: no deletion date. */
	untilMs: number | null;
}

/** Contents of stores, and their monthly cost at current prices. */
export interface KeptStorage {
	count: number;
	bytes: bigint;
	/** Only items with a price. */
	microUsdPerMonth: bigint;
	/** Bytes in stores without a price, which are not in microUsdPerMonth. */
	unpricedBytes: bigint;
	/** When the last item is deleted; null: some item has no deletion date. */
	untilMs: number | null;
}

/** Null when empty. */
export function keptStorage(objects: readonly KeptObject[]): KeptStorage | null {
	if (objects.length === 0) return null;
	const sum = (pick: (object: KeptObject) => bigint) => objects.reduce((total, object) => total + pick(object), 0n);
	const ends = objects.flatMap(({ untilMs }) => untilMs ?? []);
	return {
		count: objects.length,
		bytes: sum(({ bytes }) => bytes),
		microUsdPerMonth: sum(({ bytes, microUsdPerGiBMonth: price }) => (price === null ? 0n : monthlyStorageMicroUsd(bytes, price))),
		unpricedBytes: sum(({ bytes, microUsdPerGiBMonth }) => (microUsdPerGiBMonth === null ? bytes : 0n)),
		untilMs: ends.length < objects.length ? null : Math.max(...ends),
	};
}

/** Monthly cost of storing the bytes at a price, rounded up to the micro-dollar. */
export function monthlyStorageMicroUsd(bytes: bigint, microUsdPerGiBMonth: bigint): bigint {
	return mulDivCeil(microUsdPerGiBMonth, bytes, BYTES_PER_GIB);
}

/** Egress cost of the bytes, rounded up to the micro-dollar. */
export function egressMicroUsd(bytes: bigint, microUsdPerGiB: bigint): bigint {
	return mulDivCeil(microUsdPerGiB, bytes, BYTES_PER_GIB);
}

/**
 * Cost of bytes stored from `startMs` to `untilMs`: each month's price times the part of the month, using the prices
 * of that time (earliest first), summed exactly and rounded down once. The cost of an interval is the difference of
 * two such totals, so any split of the time adds up to the whole.
 */
export function storageCostUntil(prices: readonly StoragePrice[], bytes: bigint, startMs: number, untilMs: number): bigint {
	let scaled = 0n;
	for (const [i, { fromMs, microUsdPerGiBMonth }] of prices.entries()) {
		const from = Math.max(startMs, fromMs);
		const to = Math.min(untilMs, prices[i + 1]?.fromMs ?? untilMs);
		if (microUsdPerGiBMonth !== null && from < to) scaled += microUsdPerGiBMonth * monthParts(from, to);
	}
	return mulDivFloor(scaled, bytes, BYTES_PER_GIB * MONTH_PARTS).quotient;
}
