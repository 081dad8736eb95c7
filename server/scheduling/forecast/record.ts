import type { TimeRange } from "#server/domain/decision.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { HORIZONS_MS, horizonOf } from "./calibrate.ts";

/** A stored forecast, to be scored later: the waits that were shown, and the replay's values before the correction. */
export interface GivenForecast {
	horizon: number;
	replayP50Ms: number;
	replayP90Ms: number;
	forecastP50Ms: number;
	forecastP90Ms: number;
}

/**
 * The stored part of one forecast, or null when the job starts now.
 * @param replay times from the replay
 * @param shown the same after the correction (home.ts scaled)
 */
export function givenForecast(replay: TimeRange, shown: TimeRange, nowMs: number): GivenForecast | null {
	const replayP50Ms = replay.p50Ms - nowMs;
	if (replayP50Ms <= 0) return null;
	return {
		horizon: horizonOf(replayP50Ms),
		replayP50Ms,
		replayP90Ms: Math.max(replayP50Ms, replay.p90Ms - nowMs),
		forecastP50Ms: shown.p50Ms - nowMs,
		forecastP90Ms: shown.p90Ms - nowMs,
	};
}

/** The horizon's name in scores and metrics: `10m`, `3h`, `longer`. */
export function horizonName(horizon: number): string {
	const untilMs = HORIZONS_MS[horizon] ?? Number.POSITIVE_INFINITY;
	if (!Number.isFinite(untilMs)) return "longer";
	return untilMs < HOUR_MS ? `${untilMs / MINUTE_MS}m` : `${untilMs / HOUR_MS}h`;
}
