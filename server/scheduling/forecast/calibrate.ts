import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import type { ForecastScale } from "../types.ts";

/**
 * Horizons by which forecasts are scored and corrected: bucket i holds forecasts of a wait up to HORIZONS_MS[i], by what the
 * replay's median says before any correction. About half a power of ten each, as errors of waits are ratios.
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

/** One forecast that was given, and what is known of the truth. Times are UTC ms, waits ms from atMs. */
export interface ScoredForecast {
	atMs: number;
	/** As the replay said them, before any correction. */
	replayP50Ms: number;
	replayP90Ms: number;
	/** As they were told. */
	toldP50Ms: number;
	toldP90Ms: number;
	/** Until the start; when that has not come (or never will be known), until now (or until it was given up). */
	waitMs: number;
	/** It started: waitMs is the truth. */
	known: boolean;
}

/** Newest forecasts of a horizon that it is learned from. */
export const LEARNED_FROM = 400;
/** Of forecasts made in one cycle so many at most teach a horizon: jobs of one queue share one error. */
export const LEARNED_PER_CYCLE = 10;
/** With fewer known outcomes than this in a horizon, its neighbours are asked too. */
const ENOUGH = 40;
/** Bound on a factor, as its logarithm. */
const LOG_FACTOR_MAX = Math.log(1_000);
/** Waits below this count as this: a ratio of two moments says nothing. */
const LEAST_MS = SECOND_MS;
/** How far one outcome moves the correction, and how far it may go, as logarithms of a factor: fast enough to follow a drift within some forty outcomes. */
const GAIN = { p50: 0.025, p90: 0.05 } as const;
const CORRECTION_MAX = 3;

/**
 * The factors by which forecasts of each horizon would have been right as often as they say, in two parts.
 * 1. The quantile at 50 % (90 %) of wait ÷ replayed wait over the newest forecasts. Those still open are counted as "longer than
 *    until now" (Kaplan and Meier, "Nonparametric estimation from incomplete observations", JASA 1958): otherwise only the
 *    short waits would teach.
 * 2. A correction that grows with each miss and shrinks with each hit, so that their shares come to what was promised even
 *    when the past is no guide (the quantile tracking of Angelopoulos, Candès and Tibshirani, "Conformal PID control for time
 *    series prediction", NeurIPS 2023, after Gibbs and Candès 2021). A forecast that is overdue is a miss before it ends.
 * @param byHorizon newest forecasts of each of HORIZONS_MS, in any order
 */
export function learnScale(byHorizon: readonly (readonly ScoredForecast[])[]): ForecastScale {
	return {
		steps: HORIZONS_MS.map((untilMs, horizon) => {
			const near = neighbours(byHorizon, horizon);
			const own = byHorizon[horizon] ?? [];
			const p50 = ratioAt(near, 0.5, (f) => f.replayP50Ms) + correction(own, 0.5, GAIN.p50, (f) => f.toldP50Ms);
			const p90 = ratioAt(near, 0.9, (f) => f.replayP90Ms) + correction(own, 0.9, GAIN.p90, (f) => f.toldP90Ms);
			return { untilMs, p50: factorOf(p50), p90: factorOf(p90) };
		}),
	};
}

function factorOf(log: number): number {
	return Math.exp(Math.min(LOG_FACTOR_MAX, Math.max(-LOG_FACTOR_MAX, log)));
}

function neighbours(byHorizon: readonly (readonly ScoredForecast[])[], horizon: number): readonly ScoredForecast[] {
	let found = byHorizon[horizon] ?? [];
	for (let distance = 1; distance < HORIZONS_MS.length && found.filter((f) => f.known).length < ENOUGH; distance++) {
		found = [...found, ...(byHorizon[horizon - distance] ?? []), ...(byHorizon[horizon + distance] ?? [])];
	}
	return found;
}

/** The logarithm of wait ÷ replayed wait at a share. */
function ratioAt(forecasts: readonly ScoredForecast[], share: number, replayed: (f: ScoredForecast) => number): number {
	const ratios = forecasts.map((f) => ({
		at: Math.log(Math.max(f.waitMs, LEAST_MS) / Math.max(replayed(f), LEAST_MS)),
		known: f.known,
	}));
	return quantileOfCensored(ratios, share) ?? 0;
}

/** Hits and misses in the order in which they came to be known. */
function correction(forecasts: readonly ScoredForecast[], share: number, gain: number, told: (f: ScoredForecast) => number): number {
	const outcomes: { atMs: number; miss: boolean }[] = [];
	for (const f of forecasts) {
		const miss = f.waitMs > told(f);
		if (miss || f.known) outcomes.push({ atMs: f.atMs + Math.min(f.waitMs, told(f)), miss });
	}
	outcomes.sort((a, b) => a.atMs - b.atMs || Number(a.miss) - Number(b.miss));
	let log = 0;
	for (const { miss } of outcomes) {
		const next = log + gain * (miss ? share : share - 1);
		log = Math.min(CORRECTION_MAX, Math.max(-CORRECTION_MAX, next));
	}
	return log;
}

/** The quantile of values of which some are only known to be larger (Kaplan-Meier); the largest known one when it lies beyond; null without any known. */
export function quantileOfCensored(values: readonly { at: number; known: boolean }[], share: number): number | null {
	const sorted = values.toSorted((a, b) => a.at - b.at || Number(b.known) - Number(a.known));
	let alive = 1;
	let last: number | null = null;
	for (const [i, value] of sorted.entries()) {
		if (!value.known) continue;
		alive *= 1 - 1 / (sorted.length - i);
		last = value.at;
		if (alive <= 1 - share + 1e-12) return value.at;
	}
	return last;
}
