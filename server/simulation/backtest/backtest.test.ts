import { describe, expect, it } from "vitest";
import { usdToMicro } from "#server/kernel/money.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { aReplayOffer, aReplayPolicy } from "../replay/testing/small.ts";
import { runBacktest } from "./run-backtest.ts";
import { aHistory, aHistoryJob, aSpec, FROM_MS } from "./testing/small.ts";

const STAY = aReplayPolicy('    - { id: stay, when: "job.gpus > 1000", burst: { always: true } }');
const BURST = aReplayPolicy("    - { id: go, burst: { always: true } }");
const od = aReplayOffer("od", { usd: "10", gpus: 1 });

describe("one slot, two one-hour jobs, and a draft that bursts the second job", () => {
	const deadlineMs = FROM_MS + 90 * MINUTE_MS;
	const b = aHistoryJob("b", { afterMs: MINUTE_MS, spec: aSpec({ name: "b", deadlineMs }) });
	const history = aHistory({ jobs: [aHistoryJob("a"), b], offers: [od] });
	const result = runBacktest(history, { published: STAY, draft: BURST });

	it("costs $10/h × (4 min boot + 60 min) = $10.666666 instead of nothing", () => {
		expect(result.published.cloudCostMicroUsd).toBe("0");
		expect(result.draft.cloudCostMicroUsd).toBe("10666666");
		expect(result.draft.budgets).toEqual([
			{ id: "cloud", periodKey: "2026-01-01", capMicroUsd: "1000000000000", postedMicroUsd: "10666666" },
		]);
	});
	it("waits (0 + 59) / 2 = 29.5 min, then (0 + 4) / 2 = 2 min on average", () => {
		expect([result.published.meanWaitMs, result.draft.meanWaitMs]).toEqual([29.5 * MINUTE_MS, 2 * MINUTE_MS]);
		expect(result.draft.waits).toEqual([{ team: "vision", class: "burst", jobs: 2, meanWaitMs: 2 * MINUTE_MS }]);
	});
	it("finishes 120 min after the start, 30 too late, then 65 min after it, in time", () => {
		expect([result.published.missedDeadlines, result.draft.missedDeadlines]).toEqual([1, 0]);
		expect([result.published.deadlines, result.draft.deadlines]).toEqual([1, 1]);
	});
	it("uses 2 of 12 owned GPU-hours, then 1, and 64 min in the cloud", () => {
		expect([result.published.ownedUtilisation, result.draft.ownedUtilisation]).toEqual([0.1667, 0.0833]);
		expect([result.published.ownedGpuHours, result.draft.ownedGpuHours]).toEqual([2, 1]);
		expect(result.draft.cloudGpuHours).toBe(1.067);
	});
	it("emits 2 h × 0.5 kW × 1.5 × 400 = 600 g, then 300 g + 64/60 h × 0.4 kW × 1.2 × 300 = 154 g", () => {
		expect([result.published.emissionsGrams, result.draft.emissionsGrams]).toEqual([600, 454]);
	});
	it("reports where the moved job goes under both policies, and why", () => {
		expect(result.movedCount).toBe(1);
		expect(result.moved).toMatchObject([
			{
				jobId: "b",
				published: { place: "at home", waitMs: 59 * MINUTE_MS, costMicroUsd: "0", finishedAtMs: FROM_MS + 2 * HOUR_MS },
				draft: { place: "aws od x1 on-demand", waitMs: 4 * MINUTE_MS, costMicroUsd: "10666666", finishedAtMs: FROM_MS + 65 * MINUTE_MS },
			},
		]);
		expect(result.moved[0]?.published.explanation).toBe("Placed at home in pool owned: 1 slot was free.");
		expect(result.moved[0]?.draft.explanation).toMatch(/^Sent to aws od \(x1, on-demand\) by rule go; expected to cost \$10\.67, at most /);
	});
});

describe("prices that change, and a draft that requests spot", () => {
	const spot = aReplayOffer("sp", { usd: "3", gpus: 1, type: "spot" });
	const atNoon = FROM_MS + 12 * HOUR_MS;
	const rules = "    - { id: go, burst: { always: true } }\n";
	const published = aReplayPolicy(`${rules}    - { id: firm, require: { capacityType: on_demand } }`);
	const draft = aReplayPolicy(`${rules}    - { id: spot, require: { capacityType: spot } }`);
	const jobs = [
		aHistoryJob("keeps-home", {
			ms: 20 * HOUR_MS,
			spec: aSpec({ name: "keeps-home", duration: { estimateMs: 20 * HOUR_MS, maxMs: null } }),
		}),
		aHistoryJob("leaves", { afterMs: 11.5 * HOUR_MS }),
	];
	const prices = new Map([
		["od", [{ atMs: FROM_MS, microUsdPerHour: usdToMicro("10") }]],
		[
			"sp",
			[
				{ atMs: FROM_MS + 6 * HOUR_MS, microUsdPerHour: usdToMicro("3") },
				{ atMs: atNoon, microUsdPerHour: usdToMicro("6") },
			],
		],
	]);
	const history = aHistory({ jobs, offers: [od, spot], prices, toMs: FROM_MS + 24 * HOUR_MS });
	const result = runBacktest(history, { published, draft });

	it("costs 64 min at $10 = $10.666666, then 30 min at $3 + 34 min at $6 = $4.90", () => {
		expect([result.published.cloudCostMicroUsd, result.draft.cloudCostMicroUsd]).toEqual(["10666666", "4900000"]);
		expect(result.moved.map(({ jobId, published: p, draft: d }) => [jobId, p.place, d.place])).toEqual([
			["leaves", "aws od x1 on-demand", "aws sp x1 spot"],
		]);
	});
	it("reports that 6 of 48 offer hours have no price, and that no spot instance is on record", () => {
		expect(result.gaps).toContain("Prices are not recorded for 13 % of the time; there the first price that is on record stands.");
		expect(result.gaps).toContain("No spot instance is on record, so none is reclaimed here: spot looks better than it is.");
	});
});

describe("a draft with a cap of $15 and $4 already spent, over three jobs that burst for $10.67 each", () => {
	const capped = { ...BURST, budgets: BURST.budgets.map((b) => ({ ...b, capMicroUsd: usdToMicro("15") })) };
	const limit = {
		...BURST.rules[0],
		id: "life",
		when: null,
		line: 9,
		effect: { kind: "limit", instanceMs: 75 * MINUTE_MS, idleMs: null, gpuUtilisationBelow: null },
	} as const;
	const withLife = (policy: typeof BURST) => ({ ...policy, rules: [...policy.rules, limit] });
	const long = aHistoryJob("long", {
		ms: 30 * HOUR_MS,
		spec: aSpec({ name: "long", duration: { estimateMs: 30 * HOUR_MS, maxMs: null } }),
	});
	const three = [1, 2, 3].map((n) => aHistoryJob(`j${n}`, { afterMs: n * HOUR_MS }));
	const spentBefore = [{ spec: aSpec(), month: 2026 * 12, microUsd: usdToMicro("4") }];
	const history = aHistory({ jobs: [long, ...three], offers: [od], spentBefore });
	const result = runBacktest(history, { published: withLife(BURST), draft: withLife(capped) });

	it("bursts all three, then none: the worst case of one exceeds the $11 that remain", () => {
		expect(result.published.cloudCostMicroUsd).toBe("31999998");
		expect(result.draft.cloudCostMicroUsd).toBe("0");
		expect(result.moved.map(({ jobId, draft }) => [jobId, draft.place, draft.waitMs])).toEqual([
			["j1", null, null],
			["j2", null, null],
			["j3", null, null],
		]);
		expect(result.moved[0]?.draft.explanation).toMatch(/^Held: budget cloud is \$[\d.,]+ short/);
	});
	it("counts $4 + 3 × $10.666666 in the month, then the $4 alone", () => {
		const posted = (sums: typeof result.draft) => sums.budgets.map(({ postedMicroUsd }) => postedMicroUsd);
		expect([posted(result.published), posted(result.draft)]).toEqual([["35999998"], ["4000000"]]);
	});
	it("counts jobs that never start as waiting until the end: (11 + 10 + 9) h / 4 = 7.5 h", () => {
		expect(result.draft.meanWaitMs).toBe(7.5 * HOUR_MS);
		expect([result.draft.waitingAtEnd, result.draft.runningAtEnd, result.published.runningAtEnd]).toEqual([3, 1, 1]);
		expect(result.gaps.join(" ")).toContain("under the published policy 1 running and 0 waiting, under the draft 1 running and 3 waiting");
	});
});
