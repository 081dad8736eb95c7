import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { factorAt, type HourPattern } from "./hour-pattern.ts";

/** Past days used to learn a pattern, and hours to forecast. Assumptions. */
export const PATTERN_DAYS = 28;
export const HOURS_AHEAD = 96;
export const PATTERN_MS = PATTERN_DAYS * DAY_MS;

/** Hours before the first one in which a known value is searched for. */
const LOOK_BACK_HOURS = 24;

/**
 * The coming hours of a series from the one that starts at `firstMs`: the value known for an hour, else that hour of the day in the pattern
 * plus what is left of the deviation of the last known hour. Ends where neither exists.
 */
export function forecastHours(firstMs: number, knownAt: (hourMs: number) => number | null, pattern: HourPattern | null): number[] {
	const hourly: number[] = [];
	let deviation = 0;
	for (let i = pattern ? -LOOK_BACK_HOURS : 0; i < HOURS_AHEAD; i++) {
		const atMs = firstMs + i * HOUR_MS;
		const usual = pattern && pattern.level * factorAt(pattern, atMs);
		const known = knownAt(atMs);
		deviation = known === null ? deviation * (pattern?.lasting ?? 0) : known - (usual ?? known);
		if (i < 0) continue;
		const value = known ?? (usual === null ? null : Math.max(0, usual + deviation));
		if (value === null) break;
		hourly.push(Math.round(value));
	}
	return hourly;
}
