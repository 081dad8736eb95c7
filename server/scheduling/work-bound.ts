import type { Distribution } from "./forecast/distribution.ts";
import { normalQuantile, normalShare } from "./normal.ts";
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
	const before = distribution.shareUpTo(doneMs);
	const upTo = shareUpTo(distribution, doneMs + withinMs, maxMs);
	if (upTo - before < SPOT.lostShare * (1 - before)) return null;
	const bound = distribution.quantile(before + SPOT.coveredShare * (upTo - before)) - doneMs;
	return Math.min(bound, withinMs, maxMs === null ? Number.POSITIVE_INFINITY : maxMs - doneMs);
}

/** Share of the runs that have not ended yet and end within this much more work, ms. */
export function shareWithin(rest: TimeSpread, length: KnownLength | null, withinMs: number): number {
	if (withinMs <= 0) return 0;
	const distribution = length?.total.distribution;
	if (!length || !distribution) {
		const sigma = sigmaOf(rest);
		return sigma < 1e-6 ? Number(rest.p50Ms <= withinMs) : normalShare(Math.log(withinMs / rest.p50Ms) / sigma);
	}
	const before = distribution.shareUpTo(length.doneMs);
	return before >= 1 ? 1 : (shareUpTo(distribution, length.doneMs + withinMs, length.maxMs) - before) / (1 - before);
}

/** Every run ends at its longest run time, so all of them fit if that does. */
function shareUpTo(distribution: Distribution, endMs: number, maxMs: number | null): number {
	return maxMs !== null && endMs >= maxMs ? 1 : distribution.shareUpTo(endMs);
}

function sigmaOf({ p50Ms, p90Ms }: TimeSpread): number {
	return Math.log(Math.max(1, p90Ms / Math.max(1, p50Ms))) / NORMAL_P90;
}

/** boundedWorkMs if only a median and a P90 are known: a log-normal run time. */
function logNormalBound(rest: TimeSpread, withinMs: number): number | null {
	const { p50Ms } = rest;
	const sigma = sigmaOf(rest);
	if (sigma < 1e-6) return p50Ms <= withinMs ? p50Ms : null;
	const upTo = normalShare(Math.log(withinMs / p50Ms) / sigma);
	if (upTo < SPOT.lostShareOfEstimate) return null;
	return Math.min(withinMs, p50Ms * Math.exp(sigma * normalQuantile(SPOT.coveredShareOfEstimate * upTo)));
}
