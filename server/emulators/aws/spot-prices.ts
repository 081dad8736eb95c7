import { hash32, seededRandom } from "#server/kernel/random.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { ZoneOffer } from "./catalog.ts";

/**
 * A price history that behaves like EC2's since 2017: smooth drift, a few changes a day at irregular times, independent for each
 * type and zone, never above on-demand. It is a function of (seed, type, zone, time): nothing is stored, and the history is the
 * same after a restart. The mean is the catalog's price; how far it deviates (SWING) is this project's choice, not a measured
 * figure.
 */
const BUCKET_MS = 8 * HOUR_MS;
const SWING = { slow: 0.05, fast: 0.03, noise: 0.015 };
const SLOW_PERIOD_MS = 19 * 24 * HOUR_MS;
const FAST_PERIOD_MS = 3.3 * 24 * HOUR_MS;
/** EC2 publishes six decimals and moves in steps of $0.0001. */
const STEP_MICRO_USD = 100n;

export interface SpotPricePoint {
	atMs: number;
	microUsdPerHour: bigint;
}

/** The price changes in (fromMs, toMs], oldest first, preceded by the price in force at fromMs. */
export function spotPriceHistory(seed: number, offer: ZoneOffer, fromMs: number, toMs: number): SpotPricePoint[] {
	const points: SpotPricePoint[] = [];
	for (let bucket = Math.floor(fromMs / BUCKET_MS) - 1; bucket * BUCKET_MS <= toMs; bucket++) {
		const point = changeInBucket(seed, offer, bucket);
		if (!point || point.atMs > toMs) continue;
		if (point.atMs <= fromMs) points.length = 0;
		points.push(point);
	}
	return points;
}

/** The spot price of a zone at a time; null if the type is not sold as spot. */
export function spotPriceAt(seed: number, offer: ZoneOffer, atMs: number): bigint | null {
	return spotPriceHistory(seed, offer, atMs, atMs).at(-1)?.microUsdPerHour ?? null;
}

function changeInBucket(seed: number, offer: ZoneOffer, bucket: number): SpotPricePoint | null {
	const mean = offer.spotMicroUsdPerHour;
	if (mean === null) return null;
	const series = seededRandom(hash32(`${seed}/spot/${offer.entry.instanceType}/${offer.zone}`));
	const slowPhase = series.next();
	const fastPhase = series.next();
	const draw = series.fork(`bucket/${bucket}`);
	const atMs = Math.floor(((bucket + draw.next() * 0.999) * BUCKET_MS) / 1_000) * 1_000;
	const wave = (periodMs: number, phase: number) => Math.sin(2 * Math.PI * (atMs / periodMs + phase));
	const drift = SWING.slow * wave(SLOW_PERIOD_MS, slowPhase) + SWING.fast * wave(FAST_PERIOD_MS, fastPhase);
	const factor = 1 + drift + SWING.noise * (2 * draw.next() - 1);
	const raw = (mean * BigInt(Math.round(factor * 1e6))) / 1_000_000n;
	const stepped = (raw / STEP_MICRO_USD) * STEP_MICRO_USD;
	const capped = stepped > offer.onDemandMicroUsdPerHour ? offer.onDemandMicroUsdPerHour : stepped;
	return { atMs, microUsdPerHour: capped > 0n ? capped : STEP_MICRO_USD };
}
