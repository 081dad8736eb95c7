import type { TimeRange } from "#server/domain/decision.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { HORIZONS_MS, horizonOf } from "./calibrate.ts";

/** A forecast as it is kept to be scored: the waits that were told, and what the replay had said before the correction. */
export interface GivenForecast {
	horizon: number;
	replayP50Ms: number;
	replayP90Ms: number;
	toldP50Ms: number;
	toldP90Ms: number;
}

/**
 * What is kept of one forecast, or null when it says that the job starts now.
 * @param replay moments as the replay said them
 * @param told the same after the correction (home.ts scaled)
 */
export function givenForecast(replay: TimeRange, told: TimeRange, nowMs: number): GivenForecast | null {
	const replayP50Ms = replay.p50Ms - nowMs;
	if (replayP50Ms <= 0) return null;
	return {
		horizon: horizonOf(replayP50Ms),
		replayP50Ms,
		replayP90Ms: Math.max(replayP50Ms, replay.p90Ms - nowMs),
		toldP50Ms: told.p50Ms - nowMs,
		toldP90Ms: told.p90Ms - nowMs,
	};
}

/** The horizon's name in scores and metrics: `10m`, `3h`, `longer`. */
export function horizonName(horizon: number): string {
	const untilMs = HORIZONS_MS[horizon] ?? Number.POSITIVE_INFINITY;
	if (!Number.isFinite(untilMs)) return "longer";
	return untilMs < HOUR_MS ? `${untilMs / MINUTE_MS}m` : `${untilMs / HOUR_MS}h`;
}
