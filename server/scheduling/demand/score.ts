import { DemandForecaster } from "./forecaster.ts";
import { HOURS_PER_WEEK } from "./leads.ts";

/** Accuracy of forecasts of held-out weeks. Shares are 0 to 1. */
export interface DemandScore {
	/** Number of scored hourly forecasts. */
	forecasts: number;
	heldOutWeeks: number;
	/** Share of hours with demand at most P50 and P90. */
	p50Coverage: number;
	p90Coverage: number;
	/** Sum of absolute errors ÷ sum of demand, of P50 and of the same hour a week (or two) before. */
	weightedError: number;
	naiveWeightedError: number;
	/** weightedError ÷ naiveWeightedError − 1. */
	change: number;
}

export interface ScoreOptions {
	/** Share of the hours before the first scored one. */
	learnShare?: number;
	/** Hours ahead. */
	horizon?: number;
	everyHours?: number;
	holidays?: ReadonlySet<string>;
}

/**
 * Scores forecasts from every sixth hour of the held-out weeks, each from earlier hours alone, against actual demand and seasonal-naive.
 */
export function scoreDemand(fromHour: number, demand: Float64Array, options: ScoreOptions = {}): DemandScore | null {
	const { learnShare = 0.5, horizon = HOURS_PER_WEEK, everyHours = 6 } = options;
	const first = Math.max(2 * HOURS_PER_WEEK, Math.floor(demand.length * learnShare));
	const forecaster = new DemandForecaster(fromHour, options.holidays);
	const sums = { forecasts: 0, below50: 0, below90: 0, error: 0, naive: 0, demand: 0 };
	for (let hour = 0; hour < demand.length; hour++) {
		if (hour >= first && (hour - first) % everyHours === 0) {
			for (const [i, { p50, p90 }] of forecaster.forecast(Math.min(horizon, demand.length - hour)).entries()) {
				const came = demand[hour + i] ?? 0;
				const weeksBack = Math.ceil((i + 1) / HOURS_PER_WEEK);
				sums.forecasts++;
				sums.below50 += came <= p50 ? 1 : 0;
				sums.below90 += came <= p90 ? 1 : 0;
				sums.error += Math.abs(came - p50);
				sums.naive += Math.abs(came - (demand[hour + i - weeksBack * HOURS_PER_WEEK] ?? 0));
				sums.demand += came;
			}
		}
		forecaster.push(demand[hour] ?? 0);
	}
	if (sums.forecasts === 0 || sums.demand === 0 || sums.naive === 0) return null;
	return {
		forecasts: sums.forecasts,
		heldOutWeeks: round((demand.length - first) / HOURS_PER_WEEK, 1),
		p50Coverage: round(sums.below50 / sums.forecasts, 3),
		p90Coverage: round(sums.below90 / sums.forecasts, 3),
		weightedError: round(sums.error / sums.demand, 4),
		naiveWeightedError: round(sums.naive / sums.demand, 4),
		change: round(sums.error / sums.naive - 1, 4),
	};
}

function round(value: number, digits: number): number {
	return Math.round(value * 10 ** digits) / 10 ** digits;
}
