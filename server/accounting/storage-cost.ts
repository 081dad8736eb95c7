import { mulDivCeil, mulDivFloor } from "#server/kernel/money.ts";
import { MONTH_PARTS, monthParts } from "./disk.ts";

const BYTES_PER_GIB = 1_073_741_824n;

/** A price of storage from a point in time (UTC ms) until the next one. */
export interface StoragePrice {
	fromMs: number;
	/** Per GiB (2^30 bytes) and calendar month, of 28 to 31 days; null: no price is set, and nothing is charged. */
	microUsdPerGiBMonth: bigint | null;
}

/** One thing that a store keeps. */
export interface KeptObject {
	bytes: bigint;
	/** At the store's current price; null: no price is set. */
	microUsdPerGiBMonth: bigint | null;
	/** When it is deleted, UTC ms; null: no time is set. */
	untilMs: number | null;
}

/** What stores keep, and what that costs each month at current prices. */
export interface KeptStorage {
	count: number;
	bytes: bigint;
	/** Of what has a price. */
	microUsdPerMonth: bigint;
	/** Bytes in stores without a price, which are not in microUsdPerMonth. */
	unpricedBytes: bigint;
	/** When the last of it is deleted; null: something has no time set. */
	untilMs: number | null;
}

/** Null for nothing. */
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

/** What keeping the bytes costs each month at a price, rounded up to the micro-dollar. */
export function monthlyStorageMicroUsd(bytes: bigint, microUsdPerGiBMonth: bigint): bigint {
	return mulDivCeil(microUsdPerGiBMonth, bytes, BYTES_PER_GIB);
}

/** What it costs that the bytes leave the store, rounded up to the micro-dollar. */
export function egressMicroUsd(bytes: bigint, microUsdPerGiB: bigint): bigint {
	return mulDivCeil(microUsdPerGiB, bytes, BYTES_PER_GIB);
}

/**
 * What bytes kept from `startMs` to `untilMs` cost: each month's price by the part of the month, under the prices of their time
 * (earliest first), summed exactly and rounded down once. The cost of an interval is the difference of two such totals, so any
 * split of the time adds up to the whole.
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
