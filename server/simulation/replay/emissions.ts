import { HOUR_MS } from "#server/kernel/units.ts";
import { GridRecord } from "./grid-record.ts";
import type { ReplayScenario } from "./types.ts";

/** Hours × gCO2e/kWh of a place between two moments; null if its intensity is unknown. */
export type GridOver = (place: string, average: number | null, fromMs: number, toMs: number) => number | null;

/**
 * Hourly series repeat from the scenario's start; a place without one uses its average throughout. A recorded grid takes precedence over
 * both.
 */
export function makeGridOver(scenario: Pick<ReplayScenario, "grid" | "startMs" | "gridOnRecord">): GridOver {
	if (scenario.gridOnRecord) {
		const record = new GridRecord(scenario.gridOnRecord);
		return (place, average, fromMs, toMs) => record.over(place, average, fromMs, toMs);
	}
	const sums = new Map([...scenario.grid].filter(([, hours]) => hours.length > 0).map(([place, hours]) => [place, runningSums(hours)]));
	return (place, average, fromMs, toMs) => {
		const series = sums.get(place);
		if (!series) return average === null ? null : (average * (toMs - fromMs)) / HOUR_MS;
		return hoursUpTo(series, toMs - scenario.startMs) - hoursUpTo(series, fromMs - scenario.startMs);
	};
}

/** Entry i: the sum of the first i hours. */
function runningSums(hours: readonly number[]): number[] {
	const sums = [0];
	for (const [i, grams] of hours.entries()) sums.push((sums[i] ?? 0) + grams);
	return sums;
}

function hoursUpTo(sums: readonly number[], elapsedMs: number): number {
	const hours = Math.max(0, elapsedMs) / HOUR_MS;
	const length = sums.length - 1;
	const rounds = Math.floor(hours / length);
	const whole = Math.floor(hours - rounds * length);
	const before = sums[whole] ?? 0;
	return rounds * (sums[length] ?? 0) + before + (hours - rounds * length - whole) * ((sums[whole + 1] ?? before) - before);
}
