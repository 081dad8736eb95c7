import { seededRandom } from "#server/kernel/random.ts";
import type { WeekSums } from "./run-option.ts";
import type { Range } from "./types.ts";

/** Resamples: the standard error of a 5% quantile is then some 0.7 points of probability. */
export const RESAMPLES = 1_000;

/** Figures of one option in one resample; all options use the same weeks. */
export interface Resample {
	/** Cloud cost ÷ the history's. */
	cloudFactor: number;
	meanWaitMs: number;
	meanTimeToModelMs: number;
}

/**
 * Draws as many weeks as the history has, with replacement (the block bootstrap of Künsch, Annals of Statistics 17(3), 1989, with blocks of
 * a week), and sums them up for every option.
 * @returns by option, then by resample.
 */
export function resampleWeeks(options: readonly (readonly WeekSums[])[], seed: number): Resample[][] {
	const random = seededRandom(`${seed}/weeks`);
	const weeks = options.reduce((most, list) => Math.max(most, list.length), 0);
	const draws = Array.from({ length: RESAMPLES }, () => Array.from({ length: weeks }, () => random.int(0, Math.max(0, weeks - 1))));
	return options.map((list) => {
		const all = sum(
			list,
			Array.from({ length: weeks }, (_, i) => i),
		);
		return draws.map((draw) => {
			const drawn = sum(list, draw);
			return {
				cloudFactor: all.cloudMicroUsd === 0 ? 1 : drawn.cloudMicroUsd / all.cloudMicroUsd,
				meanWaitMs: drawn.jobs === 0 ? 0 : drawn.waitMs / drawn.jobs,
				meanTimeToModelMs: drawn.jobs === 0 ? 0 : drawn.timeToModelMs / drawn.jobs,
			};
		});
	});
}

function sum(weeks: readonly WeekSums[], draw: readonly number[]): WeekSums {
	const total = { jobs: 0, waitMs: 0, timeToModelMs: 0, cloudMicroUsd: 0 };
	for (const i of draw) {
		const week = weeks[i];
		if (!week) continue;
		total.jobs += week.jobs;
		total.waitMs += week.waitMs;
		total.timeToModelMs += week.timeToModelMs;
		total.cloudMicroUsd += week.cloudMicroUsd;
	}
	return total;
}

/** 5th to 95th percentile, nearest rank. */
export function rangeOf(values: readonly number[]): Range {
	const sorted = Float64Array.from(values).sort();
	const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
	return { low: at(0.05), high: at(0.95) };
}
