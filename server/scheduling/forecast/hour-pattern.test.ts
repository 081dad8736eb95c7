import { describe, expect, it } from "vitest";
import { seededRandom } from "#server/kernel/random.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { factorAt, hourPattern } from "./hour-pattern.ts";

const FROM_MS = Date.UTC(2026, 10, 1);

function series(days: number, valueAt: (hour: number, day: number) => number): Map<number, number> {
	return new Map(
		Array.from({ length: days * 24 }, (_, i) => [FROM_MS + i * HOUR_MS, valueAt(i % 24, Math.floor(i / 24))] as [number, number]),
	);
}

describe("the hours of a day", () => {
	it("differ in their mean relative to the day's: 100 for 12 hours and 300 for 12 are 0.5 and 1.5 of 200", () => {
		const pattern = hourPattern(series(7, (hour) => (hour < 12 ? 100 : 300)));
		expect(pattern).toMatchObject({ level: 200, days: 7, untilMs: FROM_MS + 7 * DAY_MS });
		expect(pattern && [factorAt(pattern, FROM_MS + 3 * HOUR_MS), factorAt(pattern, FROM_MS + 40 * DAY_MS + 13 * HOUR_MS)]).toEqual([
			0.5, 1.5,
		]);
	});

	it("form a pattern at any level of the days, at the level of the last week: (8 + … + 14) ÷ 7 = 11 times 200", () => {
		const pattern = hourPattern(series(14, (hour, day) => (day + 1) * (hour < 12 ? 100 : 300)));
		expect(pattern?.level).toBeCloseTo(2_200, 6);
		expect(pattern?.factors[0]).toBeCloseTo(0.5, 9);
	});

	it("have no pattern after six full days, and a day with missing hours does not count", () => {
		expect(hourPattern(series(6, (hour) => 100 + hour))).toBeNull();
		const gap = series(7, (hour) => 100 + hour);
		gap.delete(FROM_MS + 5 * HOUR_MS);
		expect(hourPattern(gap)).toBeNull();
	});

	it("have no pattern when a price stepped once, stayed the same, or differs as much between days as between hours", () => {
		expect(hourPattern(series(28, (hour, day) => (day > 13 || (day === 13 && hour >= 13) ? 120 : 100)))).toBeNull();
		expect(hourPattern(series(28, () => 0.1 + 0.2))).toBeNull();
		expect(hourPattern(series(28, (hour, day) => ((hour * 7 + day * 11) % 13) + 10))).toBeNull();
	});

	it("have deviations that last when the level changes slowly, and none that last when each hour differs at random", () => {
		const slow = hourPattern(series(28, (hour, day) => (hour < 12 ? 190 : 210) + (day < 14 ? 40 : -40)));
		// All but the 12 pairs around the step have the same sign: (660 − 2 × 12) ÷ 660 = 0.96, to the power of 1/12.
		expect(slow?.lasting).toBeCloseTo(0.997, 2);
		const random = seededRandom("hours");
		expect(hourPattern(series(28, (hour) => (hour < 12 ? 100 : 300) + random.int(-20, 20)))?.lasting).toBe(0);
	});
});
