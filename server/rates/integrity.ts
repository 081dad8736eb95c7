import type { OfferRate } from "./offers.ts";

/** A price so far from its neighbors that a misplaced decimal point is likelier than a bargain. */
export interface PriceOutlier {
	rate: OfferRate;
	what: "on_demand_per_gpu" | "on_demand_of_type" | "spot_below_floor";
	/** The price divided by that of its neighbors. */
	ratio: number;
}

const FACTOR = 10;
/** The deepest spot discounts in the sources are 90%; below 5% of on-demand is not plausible. */
const SPOT_FLOOR = 0.05;

function median(values: number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function mediansBy(
	rates: readonly OfferRate[],
	keyOf: (rate: OfferRate) => string,
	priceOf: (rate: OfferRate) => number,
): Map<string, number> {
	const groups = new Map<string, number[]>();
	for (const rate of rates) groups.set(keyOf(rate), [...(groups.get(keyOf(rate)) ?? []), priceOf(rate)]);
	return new Map([...groups].map(([key, values]) => [key, median(values)]));
}

/**
 * Prices ten times off the median of the same type in other regions or of the same accelerator per GPU, and spot
 * prices below a twentieth of on-demand. A snapshot with any of these needs a review before it ships.
 */
export function priceOutliers(rates: readonly OfferRate[]): PriceOutlier[] {
	const perHour = (rate: OfferRate): number => Number(rate.onDemand.microUsdPerHour);
	const perGpu = (rate: OfferRate): number => perHour(rate) / rate.gpus;
	const typeKey = (rate: OfferRate): string => `${rate.provider}/${rate.instanceType}`;
	const ofType = mediansBy(rates, typeKey, perHour);
	const ofAccelerator = mediansBy(rates, (rate) => rate.accelerator, perGpu);
	const found: PriceOutlier[] = [];
	for (const rate of rates) {
		const checks = [
			{ what: "on_demand_of_type", ratio: perHour(rate) / (ofType.get(typeKey(rate)) ?? Number.NaN) },
			{ what: "on_demand_per_gpu", ratio: perGpu(rate) / (ofAccelerator.get(rate.accelerator) ?? Number.NaN) },
		] as const;
		for (const { what, ratio } of checks) {
			if (!(ratio < FACTOR && ratio > 1 / FACTOR)) found.push({ rate, what, ratio });
		}
		const spotRatio = rate.spot === null ? 1 : Number(rate.spot.microUsdPerHour) / perHour(rate);
		if (spotRatio < SPOT_FLOOR) found.push({ rate, what: "spot_below_floor", ratio: spotRatio });
	}
	return found;
}
