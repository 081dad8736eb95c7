import type { RunTime } from "./run-time.ts";
import { SPOT } from "./spot-guarantee/constants.ts";
import type { TimeSpread } from "./types.ts";

/**
 * What is known about a job's length: the whole run, its progress, and its longest run time, ms. null: only its remaining time is known.
 */
export interface KnownLength {
	total: RunTime;
	doneMs: number;
	maxMs: number | null;
}

/** Standard normal quantile at 0.9. */
const NORMAL_P90 = 1.2816;

/**
 * Bound on the work left of a job with a deadline, ms: the SPOT.coveredShare quantile of the remaining work, given that it fits into
 * `withinMs`, the time that firm capacity would still have. A longer run misses its deadline anyway, so it needs no protection. null: no
 * run of the distribution fits.
 */
export function boundedWorkMs(rest: TimeSpread, length: KnownLength | null, withinMs: number): number | null {
	if (withinMs <= 0) return null;
	const distribution = length?.total.distribution;
	if (!length || !distribution) return logNormalBound(rest, withinMs);
	const { doneMs, maxMs } = length;
	const endMs = doneMs + withinMs;
	const before = distribution.shareUpTo(doneMs);
	// Every run ends at its longest run time, so all of them fit if that does.
	const upTo = maxMs !== null && endMs >= maxMs ? 1 : distribution.shareUpTo(endMs);
	if (upTo - before < SPOT.lostShare * (1 - before)) return null;
	const bound = distribution.quantile(before + SPOT.coveredShare * (upTo - before)) - doneMs;
	return Math.min(bound, withinMs, maxMs === null ? Number.POSITIVE_INFINITY : maxMs - doneMs);
}

/** The same if only a median and a P90 are known: a log-normal run time. */
function logNormalBound({ p50Ms, p90Ms }: TimeSpread, withinMs: number): number | null {
	const sigma = Math.log(Math.max(1, p90Ms / Math.max(1, p50Ms))) / NORMAL_P90;
	if (sigma < 1e-6) return p50Ms <= withinMs ? p50Ms : null;
	const upTo = normalShare(Math.log(withinMs / p50Ms) / sigma);
	if (upTo < SPOT.lostShareOfEstimate) return null;
	return Math.min(withinMs, p50Ms * Math.exp(sigma * normalQuantile(SPOT.coveredShareOfEstimate * upTo)));
}

/** Standard normal distribution function (Abramowitz and Stegun 26.2.17, error below 1e-7). */
function normalShare(z: number): number {
	const t = 1 / (1 + 0.2316419 * Math.abs(z));
	const poly = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
	const upper = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * poly;
	return z >= 0 ? 1 - upper : upper;
}

/** Its inverse, by bisection. */
function normalQuantile(share: number): number {
	let [low, high] = [-8, 8];
	for (let i = 0; i < 50; i++) {
		const middle = (low + high) / 2;
		if (normalShare(middle) < share) low = middle;
		else high = middle;
	}
	return (low + high) / 2;
}
