import { sumOf } from "./hour-series.ts";

/** Savings if GPUs had been reserved by the hour for the whole period. */
export interface CommitmentStep {
	gpus: number;
	/** Share of their hours in which the overflow would have used them. */
	filled: number;
	/** Saved relative to renting the same overflow on-demand, US dollars; below 0: it costs more. */
	savedUsd: number;
	/** The same with lower demand in every hour. */
	savedIfDemandFallsUsd: number;
}

export interface CommitmentAdvice {
	/** On-demand price, US dollars per GPU-hour; null: no price on record, so no advice. */
	onDemandUsdPerGpuHour: number | null;
	discountShare: number;
	/** Reserved GPUs must be used for more than this share of the hours. */
	breakEvenShare: number;
	demandFallShare: number;
	hours: number;
	/** Number of GPUs that saves most; 0: none pays. */
	bestGpus: number;
	steps: CommitmentStep[];
	/** Extra cost of the best number compared with none if demand falls, US dollars; 0: it still saves. */
	regretUsd: number;
}

const STEPS = 10;
export const DEMAND_FALL = 0.2;

/**
 * Reserved or savings-plan GPUs for the demand above the owned GPUs, hour by hour, as if nothing waited. N of them cost N × hours × price ×
 * (1 − discount), and replace on-demand time of min(overflow, N).
 */
export function adviseCommitment(
	demand: Float64Array,
	capacityGpus: number,
	{ onDemandUsd, discountShare }: { onDemandUsd: number | null; discountShare: number },
): CommitmentAdvice {
	const price = onDemandUsd ?? 0;
	const overflow = demand.map((gpus) => Math.max(0, gpus - capacityGpus));
	const less = demand.map((gpus) => Math.max(0, gpus * (1 - DEMAND_FALL) - capacityGpus));
	const saved = (series: Float64Array, gpus: number): number =>
		price * (filledHours(series, gpus) - gpus * demand.length * (1 - discountShare));
	const best = onDemandUsd === null ? 0 : bestGpus(overflow, 1 - discountShare);
	const most = Math.max(best * 2, Math.ceil(sumOf(overflow) / Math.max(1, overflow.length)), 1);
	const sizes = [...new Set([best, ...Array.from({ length: STEPS }, (_, i) => Math.ceil(((i + 1) * most) / STEPS))])].sort((a, b) => a - b);
	const steps = sizes
		.filter((gpus) => gpus > 0)
		.map((gpus) => ({
			gpus,
			filled: round(filledHours(overflow, gpus) / (gpus * Math.max(1, demand.length)), 4),
			savedUsd: Math.round(saved(overflow, gpus)),
			savedIfDemandFallsUsd: Math.round(saved(less, gpus)),
		}));
	return {
		...{ onDemandUsdPerGpuHour: onDemandUsd, discountShare, breakEvenShare: round(1 - discountShare, 4), demandFallShare: DEMAND_FALL },
		...{ hours: demand.length, bestGpus: best, steps: onDemandUsd === null ? [] : steps },
		regretUsd: best === 0 ? 0 : Math.max(0, -Math.round(saved(less, best))),
	};
}

/** One more GPU pays as long as the overflow exceeds the earlier ones in more than the break-even share of the hours. */
function bestGpus(overflow: Float64Array, breakEvenShare: number): number {
	const sorted = Float64Array.from(overflow).sort();
	let gpus = 0;
	for (;;) {
		let used = 0;
		for (let i = sorted.length - 1; i >= 0 && (sorted[i] ?? 0) > gpus; i--) used += Math.min(1, (sorted[i] ?? 0) - gpus);
		if (used <= breakEvenShare * sorted.length) return gpus;
		gpus++;
	}
}

function filledHours(overflow: Float64Array, gpus: number): number {
	let hours = 0;
	for (const value of overflow) hours += Math.min(value, gpus);
	return hours;
}

function round(value: number, digits: number): number {
	return Math.round(value * 10 ** digits) / 10 ** digits;
}
