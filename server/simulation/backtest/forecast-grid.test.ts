import { describe, expect, it } from "vitest";
import type { Policy } from "#server/domain/policy.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { aReplayPolicy } from "../replay/testing/small.ts";
import { runBacktest } from "./run-backtest.ts";
import { aGrid, aHistory, aHistoryJob, FROM_MS } from "./testing/small.ts";

const STAY = aReplayPolicy('    - { id: stay, when: "job.gpus > 1000", burst: { always: true } }');
const waiting = (to: "greener" | "cheaper"): Policy => {
	const rule = { id: "better-hour", when: null, line: 9, effect: { kind: "defer", to, withinMs: 8 * HOUR_MS } } as const;
	return { ...STAY, rules: [...STAY.rules, rule] };
};
const GREEN = waiting("greener");
const jobs = [aHistoryJob("a", { afterMs: HOUR_MS / 2 })];
/** 400 g/kWh for six hours of a day, then 100. */
const day = Array.from({ length: 24 }, (_, hour) => (hour < 6 ? 400 : 100));

describe("a draft that waits for a greener hour, with jobs that never leave home", () => {
	it("starts at 06:00 when that hour was forecast: 0.5 kW × 1.5 × 100 = 75 g instead of 300 g", () => {
		const { published, draft, gaps } = runBacktest(aHistory({ jobs, grid: aGrid(day) }), { published: STAY, draft: GREEN });
		expect([published.emissionsGrams, draft.emissionsGrams]).toEqual([300, 75]);
		expect([published.meanWaitMs, draft.meanWaitMs]).toEqual([0, 5.5 * HOUR_MS]);
		expect(gaps.join(" ")).toContain("CO2 is by the hours of grids that are on record, the yearly average elsewhere,");
	});

	it("also starts at 06:00 when earlier days had that pattern and the hour was unknown until it was over", () => {
		const days = Array.from({ length: 11 }, () => day).flat();
		const grid = aGrid(days, { fromMs: FROM_MS - 10 * DAY_MS, recordedAtMs: FROM_MS + 2 * DAY_MS });
		const { draft } = runBacktest(aHistory({ jobs, grid }), { published: STAY, draft: GREEN });
		expect([draft.meanWaitMs, draft.emissionsGrams]).toEqual([5.5 * HOUR_MS, 75]);
	});

	it("starts immediately when the greener hour was known only once it came, and counts what the hour emitted", () => {
		const grid = aGrid(day, { recordedAtMs: FROM_MS + 2 * DAY_MS });
		const { draft } = runBacktest(aHistory({ jobs, grid }), { published: STAY, draft: GREEN });
		expect([draft.meanWaitMs, draft.emissionsGrams]).toEqual([0, 300]);
	});

	it("uses the yearly average, 400 g/kWh, where an hour is not on record: half an hour of each, (400 + 100) / 2 × 0.75 kW", () => {
		const grid = aGrid([100]);
		const { published } = runBacktest(aHistory({ jobs, grid }), { published: STAY, draft: STAY });
		expect(published.emissionsGrams).toBe(Math.round(250 * 0.75));
	});

	it("starts immediately when no hours or prices are on record, and reports the gap", () => {
		const green = runBacktest(aHistory({ jobs }), { published: STAY, draft: GREEN });
		expect(green.draft.meanWaitMs).toBe(0);
		expect(green.gaps).toContain("No hours of grids are on record, so no start is put off to a greener one.");
		const cheap = runBacktest(aHistory({ jobs }), { published: STAY, draft: waiting("cheaper") });
		expect(cheap.gaps).toContain("Coming prices are not foretold here, so no start is put off to a cheaper hour.");
	});
});
