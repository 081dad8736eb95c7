import { describe, expect, it } from "vitest";
import type { Policy } from "#server/domain/policy.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { aReplayPolicy } from "../replay/testing/small.ts";
import { runBacktest } from "./run-backtest.ts";
import { aHistory, aHistoryJob, FROM_MS } from "./testing/small.ts";

const STAY = aReplayPolicy('    - { id: stay, when: "job.gpus > 1000", burst: { always: true } }');
const rule = { id: "green", when: null, line: 9, effect: { kind: "defer", to: "greener", withinMs: 8 * HOUR_MS } } as const;
const GREEN: Policy = { ...STAY, rules: [...STAY.rules, rule] };
const jobs = [aHistoryJob("a", { afterMs: HOUR_MS / 2 })];
/** 400 g/kWh for six hours, then 100. */
const gridForecast = new Map([["owned", Array.from({ length: 12 }, (_, hour) => (hour < 6 ? 400 : 100))]]);

describe("a draft that waits for a greener hour, of jobs that never leave home", () => {
	it("begins at 06:00 where that was foretold: 0.5 kW × 1.5 × 100 = 75 g instead of 300 g", () => {
		const { published, draft, gaps } = runBacktest(aHistory({ jobs, gridForecast }), { published: STAY, draft: GREEN });
		expect([published.emissionsGrams, draft.emissionsGrams]).toEqual([300, 75]);
		expect([published.meanWaitMs, draft.meanWaitMs]).toEqual([0, 5.5 * HOUR_MS]);
		expect(gaps.join(" ")).toContain("CO2 is by the grid's forecast where there is one");
	});

	it("begins at once where nothing was foretold, and says so", () => {
		const { draft, gaps } = runBacktest(aHistory({ jobs }), { published: STAY, draft: GREEN });
		expect(draft.meanWaitMs).toBe(0);
		expect(gaps).toContain("No forecast of grids or prices is on record, so no start is put off.");
	});

	it("refuses a forecast whose hours do not begin with the time", () => {
		const late = aHistory({ jobs, gridForecast, fromMs: FROM_MS + 60_000 });
		expect(() => runBacktest(late, { published: STAY, draft: GREEN })).toThrow("a grid that is foretold begins with a whole hour");
	});
});
