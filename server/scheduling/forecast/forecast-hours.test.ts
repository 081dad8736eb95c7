import { describe, expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { forecastHours, HOURS_AHEAD } from "./forecast-hours.ts";
import type { HourPattern } from "./hour-pattern.ts";

const NOON_MS = Date.UTC(2026, 10, 1, 12);
/** 100 in the first half of a day, 300 in the second; half of a deviation is left after an hour. */
const PATTERN: HourPattern = {
	factors: Array.from({ length: 24 }, (_, h) => (h < 12 ? 0.5 : 1.5)),
	level: 200,
	lasting: 0.5,
	days: 28,
	untilMs: NOON_MS - HOUR_MS * 12,
};

function hoursWith(known: Record<number, number>, pattern: HourPattern | null): number[] {
	return forecastHours(NOON_MS, (atMs) => known[(atMs - NOON_MS) / HOUR_MS] ?? null, pattern);
}

describe("the coming hours", () => {
	it("return to the pattern from the current hour's value: 380 is 80 above 300, then 40, 20", () => {
		expect(hoursWith({ 0: 380 }, PATTERN).slice(0, 4)).toEqual([380, 340, 320, 310]);
	});

	it("use the last known hour of the past day, and none before it", () => {
		// At 10:00 the pattern is 100.
		expect(hoursWith({ [-2]: 180 }, PATTERN).slice(0, 2)).toEqual([320, 310]);
		expect(hoursWith({ [-25]: 180 }, PATTERN).slice(0, 2)).toEqual([300, 300]);
	});

	it("keep published values, and are never below zero after them", () => {
		expect(hoursWith({ 0: 300, 1: 200, 11: 900, 12: -100 }, { ...PATTERN, lasting: 1 }).slice(0, 14)).toEqual([
			...[300, 200],
			...Array.from({ length: 9 }, () => 200),
			...[900, -100, 0],
		]);
	});

	it("end after the known ones without a pattern, and reach the horizon with one", () => {
		expect(hoursWith({ [-1]: 50, 0: 70, 1: 80, 3: 90 }, null)).toEqual([70, 80]);
		expect(hoursWith({}, PATTERN)).toHaveLength(HOURS_AHEAD);
	});
});
