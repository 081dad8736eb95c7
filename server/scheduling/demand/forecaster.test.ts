import { describe, expect, it } from "vitest";
import { seededRandom } from "#server/kernel/random.ts";
import { DemandForecaster } from "./forecaster.ts";
import { seasonOf } from "./leads.ts";
import { scoreDemand } from "./score.ts";

/** A Monday, in hours since 1970. */
const MONDAY = Date.UTC(2026, 0, 5) / 3_600_000;
const WEEK = 168;

/** Office hours, a slow drift, and autocorrelated noise. */
function demandOf(weeks: number, seed: string): Float64Array {
	const random = seededRandom(seed);
	let [drift, noise] = [0, 0];
	return Float64Array.from({ length: weeks * WEEK }, (_, i) => {
		drift = 0.999 * drift + random.int(-400, 400) / 100;
		noise = 0.8 * noise + random.int(-1_200, 1_200) / 100;
		const isOffice = i % WEEK < 120 && i % 24 >= 8 && i % 24 < 18;
		return Math.max(0, 100 + (isOffice ? 60 : 0) + drift + noise);
	});
}

describe("the demand forecast", () => {
	it.each(["a", "b", "c"])("is calibrated on unseen weeks (seed %s)", (seed) => {
		const score = scoreDemand(MONDAY, demandOf(16, seed));
		expect(score?.heldOutWeeks).toBe(8);
		expect(score?.p50Coverage).toBeGreaterThan(0.42);
		expect(score?.p50Coverage).toBeLessThan(0.58);
		expect(score?.p90Coverage).toBeGreaterThan(0.84);
		expect(score?.p90Coverage).toBeLessThan(0.96);
		expect(score?.change).toBeLessThan(-0.1);
	});
	it("learns the week", () => {
		const forecaster = new DemandForecaster(MONDAY);
		for (let i = 0; i < 8 * WEEK; i++) forecaster.push(i % WEEK < 120 ? 100 : 20);
		const points = forecaster.forecast(WEEK);
		expect(points[30]?.p50).toBeGreaterThan(75);
		expect(points[140]?.p50).toBeLessThan(45);
	});
	it("orders its quantiles, never below 0, and gives the same for the same hours", () => {
		const run = () => {
			const forecaster = new DemandForecaster(MONDAY);
			for (const gpus of demandOf(4, "x")) forecaster.push(gpus);
			return forecaster.forecast(336);
		};
		const points = run();
		expect(points.every(({ p10, p50, p90 }) => p10 >= 0 && p10 <= p50 && p50 <= p90)).toBe(true);
		expect(run()).toEqual(points);
	});
	it("treats holidays as Sundays", () => {
		expect(seasonOf(Date.UTC(2026, 0, 5, 7) / 3_600_000, new Set())).toBe(7);
		expect(seasonOf(Date.UTC(2026, 0, 5, 7) / 3_600_000, new Set(["2026-01-05"]))).toBe(6 * 24 + 7);
		expect(seasonOf(Date.UTC(2026, 11, 25, 3) / 3_600_000, new Set())).toBe(6 * 24 + 3);
	});
	it("has no score without held-out hours", () => {
		expect(scoreDemand(MONDAY, new Float64Array(100))).toBeNull();
	});
});
