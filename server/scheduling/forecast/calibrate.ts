import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import type { ForecastScale } from "../types.ts";

/**
 * Horizons by which forecasts are scored and corrected: bucket i holds forecasts of a wait up to HORIZONS_MS[i], by the
 * replay's median before any correction. About half a power of ten each, as errors of waits are ratios.
 */
export const HORIZONS_MS: readonly number[] = [
	MINUTE_MS,
	3 * MINUTE_MS,
	10 * MINUTE_MS,
	30 * MINUTE_MS,
	HOUR_MS,
	3 * HOUR_MS,
	10 * HOUR_MS,
	30 * HOUR_MS,
	100 * HOUR_MS,
	300 * HOUR_MS,
	Number.POSITIVE_INFINITY,
];

export function horizonOf(waitMs: number): number {
	return HORIZONS_MS.findIndex((until) => waitMs <= until);
}

/** One recorded forecast and the known outcome. Times are UTC ms, waits are ms from atMs. */
export interface ScoredForecast {
	atMs: number;
	/** From the replay, before any correction. */
	replayP50Ms: number;
	replayP90Ms: number;
	/** As shown. */
	forecastP50Ms: number;
	forecastP90Ms: number;
	/** Wait until the start. Without a known start, until now or until the job was given up. */
	waitMs: number;
	/** It started, so waitMs is exact. */
	known: boolean;
	/** While it waits: the remaining wait by the newest forecast of the same job; null when there is none. */
	leftMs: number | null;
}

/** Newest forecasts of a horizon used for learning. */
export const LEARNED_FROM = 400;
/** Newest forecasts used for the median. It needs fewer than a tail does, so it can forget a drift sooner. */
const MEDIAN_LEARNED_FROM = 200;
/** Most forecasts of one cycle that teach a horizon: jobs of one queue share one error. */
export const LEARNED_PER_CYCLE = 10;
/** With fewer known outcomes than this in a horizon, its neighbors are included. */
const ENOUGH = 40;
/** With this many known outcomes, they count as much as the replay itself. */
const DOUBT = 10;
/** Bound on a factor, as its logarithm. */
const LOG_FACTOR_MAX = Math.log(1_000);
/** Shorter waits count as this: the ratio of two tiny waits is meaningless. */
const LEAST_MS = SECOND_MS;
/**
 * How far one outcome moves the correction, as the logarithm of a factor. The median follows a drift within some forty
 * outcomes. For the tail each hit counts less: outcomes of one queue are hits together and misses together, and learning too
 * quickly from many hits with one cause harms all following forecasts.
 */
const GAIN = { p50: 0.025, p90: 0.04 } as const;
/**
 * Bound of the correction, as the logarithm of a factor. An outcome is known only after the wait, and until then the correction
 * is based on forecasts made before it moved. Without a narrow bound it overshoots, and then overshoots the other way
 * (integrator wind-up). A lasting bias is learned by the quantile, which has no such bound.
 */
const CORRECTION_MAX = { p50: 1, p90: 2 } as const;
/** A job that has waited this share of its current total forecast already shows how its first forecast will turn out. */
const FORESEEN_FROM = 0.4;

/**
 * The factors by which forecasts of each horizon would have been right as often as promised, in two parts.
 *
 * 1. The quantile at 50 % (90 %) of wait ÷ replayed wait over the newest forecasts. Pending jobs count too, otherwise only
 *    short waits would be learned. Such a job counts with its wait so far plus its newest forecast, once the first is a good
 *    part of both (learning from later predictions: Sutton, "Learning to predict by the methods of temporal differences",
 *    Machine Learning 1988). Before that it counts as "longer than until now" (Kaplan and Meier, "Nonparametric estimation from
 *    incomplete observations", JASA 1958). The learned P90 factor is weighted by how many times its own horizon has elapsed;
 *    the rest is the late replay, which is cautious.
 * 2. A correction that grows with each miss and shrinks with each hit, so that the hit rates match the promise even when the
 *    past is no guide (the quantile tracking of Angelopoulos, Candès and Tibshirani, "Conformal PID control for time series
 *    prediction", NeurIPS 2023, after Gibbs and Candès 2021). An overdue forecast is a miss before it ends.
 *
 * @param byHorizon newest forecasts of each of HORIZONS_MS, in any order
 */
export function learnScale(byHorizon: readonly (readonly ScoredForecast[])[]): ForecastScale {
	return {
		steps: HORIZONS_MS.map((untilMs, horizon) => {
			const near = neighbours(byHorizon, horizon);
			const own = byHorizon[horizon] ?? [];
			const p50 = middleRatio(newest(near, MEDIAN_LEARNED_FROM)) + correction(own, "p50", 0.5, (f) => f.forecastP50Ms);
			const p90 = lateRatio(near) + correction(own, "p90", 0.9, (f) => f.forecastP90Ms);
			return { untilMs, p50: factorOf(p50), p90: factorOf(p90) };
		}),
	};
}

function factorOf(log: number): number {
	return Math.exp(Math.min(LOG_FACTOR_MAX, Math.max(-LOG_FACTOR_MAX, log)));
}

function neighbours(byHorizon: readonly (readonly ScoredForecast[])[], horizon: number): readonly ScoredForecast[] {
	let found = byHorizon[horizon] ?? [];
	for (let distance = 1; distance < HORIZONS_MS.length && found.filter(isForeseen).length < ENOUGH; distance++) {
		found = [...found, ...(byHorizon[horizon - distance] ?? []), ...(byHorizon[horizon + distance] ?? [])];
	}
	return found;
}

function newest(forecasts: readonly ScoredForecast[], count: number): readonly ScoredForecast[] {
	return forecasts.toSorted((a, b) => b.atMs - a.atMs).slice(0, count);
}

function isForeseen(f: ScoredForecast): boolean {
	return f.known || (f.leftMs !== null && f.waitMs > FORESEEN_FROM * (f.waitMs + f.leftMs));
}

/** The logarithm of wait ÷ replayed wait at the median. */
function middleRatio(forecasts: readonly ScoredForecast[]): number {
	return (quantileOfCensored(ratiosTo(forecasts, "replayP50Ms"), 0.5)?.value ?? 0) * trust(forecasts);
}

/** The same at P90, as far as known outcomes reach. */
function lateRatio(forecasts: readonly ScoredForecast[]): number {
	const found = quantileOfCensored(ratiosTo(forecasts, "replayP90Ms"), 0.9);
	if (!found) return 0;
	// The tenth without a known outcome may be as late as the late replay.
	const value = found.reached ? found.value : Math.max(found.value, 0);
	const times = timesLivedThrough(forecasts);
	return ((value * times) / (times + 1)) * trust(forecasts);
}

function ratiosTo(forecasts: readonly ScoredForecast[], replayed: "replayP50Ms" | "replayP90Ms"): { at: number; known: boolean }[] {
	return forecasts.map((f) => {
		const known = isForeseen(f);
		return { at: logRatio(f.waitMs + (known && !f.known ? (f.leftMs ?? 0) : 0), f[replayed]), known };
	});
}

/** A few outcomes change little. */
function trust(forecasts: readonly ScoredForecast[]): number {
	const known = forecasts.filter(isForeseen).length;
	return known / (known + DOUBT);
}

/**
 * How often the horizon elapsed while its known forecasts were made: jobs of one queue are correlated, so this many are
 * independent.
 */
function timesLivedThrough(forecasts: readonly ScoredForecast[]): number {
	let [first, last, sumMs, known] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0];
	for (const f of forecasts) {
		if (!isForeseen(f)) continue;
		first = Math.min(first, f.atMs);
		last = Math.max(last, f.atMs);
		sumMs += f.waitMs + (f.known ? 0 : (f.leftMs ?? 0));
		known++;
	}
	return known === 0 ? 0 : (last - first) / Math.max(LEAST_MS, sumMs / known);
}

function logRatio(waitMs: number, replayedMs: number): number {
	return Math.log(Math.max(waitMs, LEAST_MS) / Math.max(replayedMs, LEAST_MS));
}

/** Hits and misses in the order in which they became known. */
function correction(
	forecasts: readonly ScoredForecast[],
	of: "p50" | "p90",
	share: number,
	forecastOf: (f: ScoredForecast) => number,
): number {
	const outcomes: { atMs: number; miss: boolean }[] = [];
	for (const f of forecasts) {
		const miss = f.waitMs > forecastOf(f);
		if (miss || f.known) outcomes.push({ atMs: f.atMs + Math.min(f.waitMs, forecastOf(f)), miss });
	}
	outcomes.sort((a, b) => a.atMs - b.atMs || Number(a.miss) - Number(b.miss));
	let log = 0;
	for (const { miss } of outcomes) {
		const next = log + GAIN[of] * (miss ? share : share - 1);
		log = Math.min(CORRECTION_MAX[of], Math.max(-CORRECTION_MAX[of], next));
	}
	return log;
}

/**
 * The quantile of values, some of them known only by a lower bound (Kaplan-Meier). Beyond the known values: the largest known
 * value, `reached` false. Null without any known value.
 */
export function quantileOfCensored(
	values: readonly { at: number; known: boolean }[],
	share: number,
): { value: number; reached: boolean } | null {
	const sorted = values.toSorted((a, b) => a.at - b.at || Number(b.known) - Number(a.known));
	let alive = 1;
	let last: number | null = null;
	for (const [i, { at, known }] of sorted.entries()) {
		if (!known) continue;
		alive *= 1 - 1 / (sorted.length - i);
		last = at;
		if (alive <= 1 - share + 1e-12) return { value: at, reached: true };
	}
	return last === null ? null : { value: last, reached: false };
}
