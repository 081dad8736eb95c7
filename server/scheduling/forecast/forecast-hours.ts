import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { factorAt, type HourPattern } from "./hour-pattern.ts";

/** Past days used to learn a pattern, and hours to forecast. Assumptions. */
export const PATTERN_DAYS = 28;
export const HOURS_AHEAD = 96;
export const PATTERN_MS = PATTERN_DAYS * DAY_MS;

/**
 * The coming hours of a series from the one that starts at `firstMs`: the forecast for an hour, else the value of that hour of the day in
 * the pattern. Ends where neither exists.
 */
export function forecastHours(firstMs: number, forecastFor: (hourMs: number) => number | null, pattern: HourPattern | null): number[] {
	const hourly: number[] = [];
	for (let i = 0; i < HOURS_AHEAD; i++) {
		const atMs = firstMs + i * HOUR_MS;
		const value = forecastFor(atMs) ?? (pattern && pattern.level * factorAt(pattern, atMs));
		if (value === null) break;
		hourly.push(Math.round(value));
	}
	return hourly;
}
