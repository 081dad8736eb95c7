import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, SECOND_MS } from "#server/kernel/units.ts";
import { quantile, SeriesRecorder } from "./series.ts";

const START = Date.parse("2026-03-01T12:00:00Z");

describe("the series of a replay", () => {
	it("splits use at midnight: 8 GPUs from 18:00 for 12 hours are 2 GPUs on the first day and 2 on the next", () => {
		const series = new SeriesRecorder(START);
		series.use("owned", { fromMs: START + 6 * HOUR_MS, toMs: START + 18 * HOUR_MS, gpus: 8 });
		expect(series.finish().days.map((d) => [d.date, d.ownedGpus])).toEqual([
			["2026-03-01", 2],
			["2026-03-02", 2],
		]);
	});
	it("accounts for every dollar: the days' costs add up to the charges", () => {
		const series = new SeriesRecorder(START);
		series.cost("spot", { fromMs: START, toMs: START + 3 * DAY_MS, microUsd: 30_000_000n });
		series.cost("on_demand", { fromMs: START, toMs: START, microUsd: 1_000_000n });
		const { days } = series.finish();
		expect(days.map((d) => d.cloudCostUsdByCapacityType)).toEqual([
			{ reserved: 0, on_demand: 1, spot: 5 },
			{ reserved: 0, on_demand: 0, spot: 10 },
			{ reserved: 0, on_demand: 0, spot: 10 },
			{ reserved: 0, on_demand: 0, spot: 5 },
		]);
	});
	it("shows idle days as zeros, even long stretches of them", () => {
		const series = new SeriesRecorder(START);
		series.demand({ fromMs: START + 400 * DAY_MS, toMs: START + 400 * DAY_MS + HOUR_MS, gpus: 24 });
		const { days } = series.finish();
		expect(days).toHaveLength(401);
		expect(days[399]).toMatchObject({ demandGpus: 0, ownedGpus: 0 });
		expect(days[400]?.demandGpus).toBe(1);
	});
	it("reports waits by team and class, sorted by name", () => {
		const series = new SeriesRecorder(START);
		for (const [team, waitS] of [
			["vision", 10],
			["risk", 0],
			["vision", 30],
		] as const) {
			series.submitted({ team, workloadClass: "burst" });
			series.done({ team, workloadClass: "burst" }, { waitMs: waitS * SECOND_MS, timeToModelMs: (waitS + 100) * SECOND_MS });
		}
		series.submitted({ team: "risk", workloadClass: "burst" });
		const { teams, classes } = series.finish();
		expect(teams.map((t) => [t.name, t.jobs, t.jobsDone, t.meanWaitS, t.p50WaitS, t.p95WaitS, t.meanTimeToModelS])).toEqual([
			["risk", 2, 1, 0, 0, 0, 100],
			["vision", 2, 2, 20, 10, 30, 120],
		]);
		expect(classes.map((c) => [c.name, c.jobs, c.jobsDone])).toEqual([["burst", 4, 3]]);
	});
	it("rejects times before its first day", () => {
		const series = new SeriesRecorder(START);
		expect(() => series.cost("spot", { fromMs: START - DAY_MS, toMs: START, microUsd: 1n })).toThrow("before the replay begins");
	});
});

describe("quantile", () => {
	it("is the nearest rank", () => {
		expect([0.5, 0.95, 1].map((q) => quantile([1, 2, 3, 4], q))).toEqual([2, 4, 4]);
		expect(quantile([], 0.5)).toBe(0);
	});
});
