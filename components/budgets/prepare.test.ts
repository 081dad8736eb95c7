import { describe, expect, it } from "vitest";
import { budgetDrill, budgetSpendView } from "./drill.ts";
import { budgetsCsv } from "./export-csv.ts";
import type { BudgetDetail, BudgetRow } from "./params.ts";
import { burnDownDays, burnDownTicks, prepareBurnDown } from "./prepare-burn-down.ts";
import { prepareRows, scopeFilters } from "./prepare-rows.ts";
import { chanceOfPassing, chanceWords, prepareWay } from "./prepare-way.ts";

const M = 1_000_000n;
const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 1);
const row = (id: string, scope: string, more: Partial<BudgetRow> = {}): BudgetRow => ({
	...{ id, scope, period: "month", periodKey: "2026-11-01", periodStartMs: START, periodEndMs: Date.UTC(2026, 11), atCap: "hold" },
	...{ capMicroUsd: 100n * M, postedMicroUsd: 40n * M, heldMicroUsd: 10n * M, freeMicroUsd: 50n * M, forecast: null },
	...more,
});
const forecast = (low: bigint, expected: bigint, high: bigint) => ({
	...{ lowMicroUsd: low * M, expectedMicroUsd: expected * M, highMicroUsd: high * M, samples: 28 },
});
/** Four days of $10; the fifth is today without spend. */
const detail = (more: Partial<BudgetDetail> = {}): BudgetDetail => ({
	...row("cloud-month", "true", { forecast: forecast(80n, 100n, 120n) }),
	...{ policyVersion: 1, sentence: "", machines: 1, teams: [], otherTeamsMicroUsd: 0n, jobs: [], history: [], seesAllTeams: true },
	days: Array.from({ length: 5 }, (_, i) => ({ dayStartMs: START + i * DAY, postedMicroUsd: i < 4 ? 10n * M : 0n })),
	ahead: [
		{ atMs: START + 5 * DAY, lowMicroUsd: 45n * M, expectedMicroUsd: 50n * M, highMicroUsd: 55n * M },
		{ atMs: Date.UTC(2026, 11), lowMicroUsd: 80n * M, expectedMicroUsd: 100n * M, highMicroUsd: 120n * M },
	],
	...more,
});

describe("budgetsCsv", () => {
	it("exports the rows as shown, to the micro-dollar; a missing forecast is empty", () => {
		const rows = prepareRows([
			row("risk", 'job.team == "risk"', { postedMicroUsd: 1n }),
			row("all", "true", { forecast: forecast(80n, 100n, 120n) }),
		]);
		expect(budgetsCsv(rows).split("\r\n").slice(1)).toEqual([
			"all,everybody,month,2026-11-01T00:00:00.000Z,2026-12-01T00:00:00.000Z,40.000000,10.000000,50.000000,100.000000,100.000000,80.000000,120.000000",
			"risk,team risk,month,2026-11-01T00:00:00.000Z,2026-12-01T00:00:00.000Z,0.000001,10.000000,50.000000,100.000000,,,",
			"",
		]);
	});
});

describe("prepareRows", () => {
	it("nests each budget under its narrowest parent, whatever the policy order", () => {
		const rows = prepareRows([
			row("fraud", 'job.team == "risk" && job.project == "fraud"'),
			row("all", "true"),
			row("risk", 'job.team == "risk"'),
			row("risk-year", 'job.team == "risk"', { period: "year" }),
			row("either", 'job.team == "per" || job.team == "b"'),
		]);
		expect(rows.map((r) => [r.depth, r.budget.id, r.name])).toEqual([
			[0, "all", "everybody"],
			[1, "risk", "team risk"],
			[2, "fraud", 'job.team == "risk" && job.project == "fraud"'],
			[1, "risk-year", "team risk"],
			[1, "either", 'job.team == "per" || job.team == "b"'],
		]);
	});

	it("compares the forecast with the cap", () => {
		const against = (expected: bigint) => prepareRows([row("per", "true", { forecast: forecast(1n, expected, 200n) })])[0]?.against;
		expect(against(96n)).toEqual({ text: "$4.00 under", over: false });
		expect(against(100n)).toEqual({ text: "at the cap", over: false });
		expect(against(130n)).toEqual({ text: "$30 over", over: true });
		expect(prepareRows([row("per", "true")])[0]?.against).toBeNull();
	});

	it("handles a cap of 0", () => {
		expect(prepareRows([row("per", "true", { capMicroUsd: 0n, postedMicroUsd: 5n, heldMicroUsd: 0n })])[0]?.bar).toEqual({
			posted: 1,
			held: 0,
			forecast: null,
		});
	});
});

describe("prepareBurnDown", () => {
	it("starts at the cap, falls daily and ends in best, median and worst case", () => {
		const { rows, now, endLabels, lowest } = prepareBurnDown(detail(), START + 4.5 * DAY);
		expect(rows[0]).toMatchObject({ atMs: START, left: 100, pace: 100 });
		expect(rows.flatMap((row) => (row.left === undefined ? [] : [row.left]))).toEqual([100, 90, 80, 70, 60, 60, 60]);
		expect(now).toMatchObject({ left: 60, held: 10 });
		expect(endLabels.map((l) => [l.text, l.value, l.over])).toEqual([
			["$20 left, best case", 20, false],
			["$0.00 left", 0, false],
			["$20 over, worst case", -20, true],
		]);
		expect(lowest).toBe(-20);
	});

	it("an ended period has no current time, held amount or forecast", () => {
		const ended = prepareBurnDown(detail({ ahead: [], forecast: null }), null);
		expect(ended).toMatchObject({ now: null, endLabels: [] });
		expect(ended.rows.every((row) => row.range === undefined)).toBe(true);
	});

	it("handles a cap of 0 and a period without days", () => {
		const empty = prepareBurnDown(
			detail({ capMicroUsd: 0n, postedMicroUsd: 0n, heldMicroUsd: 0n, days: [], ahead: [], forecast: null }),
			START,
		);
		expect(empty.rows.every((row) => row.left === undefined)).toBe(true);
		expect(empty.lowest).toBe(0);
	});

	it("labels a month every five days", () => {
		const ticks = burnDownTicks({ periodStartMs: START, periodEndMs: START + 30 * DAY }, 6);
		expect(ticks.map((at) => (at - START) / DAY)).toEqual([0, 5, 10, 15, 20, 25]);
	});

	it("table: past days, rest of today, future days as estimates", () => {
		const days = burnDownDays(detail());
		expect(days).toHaveLength(7);
		expect(days[0]).toMatchObject({ label: "Sun 1 Nov", posted: "$10.00", left: "$90.00", likely: "", estimate: false });
		expect(days[5]).toMatchObject({
			label: "Thu 5 Nov, rest of day",
			posted: "≈ $10",
			left: "≈ $50",
			likely: "≈ $45 to ≈ $55",
			estimate: true,
		});
		expect(days[6]).toMatchObject({ label: "Mon 30 Nov", posted: "≈ $50", left: "$0.00" });
	});
});

describe("prepareWay", () => {
	it("crossed 20% on the 2nd, expects 50% on the 5th and the cap on the 30th", () => {
		const way = prepareWay(detail(), [20, 50]);
		expect(way.map((s) => [s.percent, s.passed, s.dayMs === null ? null : new Date(s.dayMs).toISOString().slice(0, 10)])).toEqual([
			[20, true, "2026-11-02"],
			[50, false, "2026-11-05"],
			[100, false, "2026-11-30"],
		]);
		expect(way[2]?.what).toMatch(/^New bursts stop/);
	});

	it("expects nothing without a forecast", () => {
		expect(prepareWay(detail({ ahead: [] }), [80]).map((s) => s.dayMs)).toEqual([null, null]);
	});

	it.each([
		[100n, 0.5, "about a 1 in 2 chance of reaching the cap"],
		[120n, 0.1, "about a 1 in 10 chance of reaching the cap"],
		[80n, 0.9, "about a 9 in 10 chance of reaching the cap"],
		[200n, 0, "unlikely to reach the cap"],
	])("a cap of $%d against a forecast of 80 to 120 is exceeded in %d", (cap, chance, words) => {
		const found = chanceOfPassing({ capMicroUsd: cap * M, forecast: forecast(80n, 100n, 120n) }) ?? -1;
		expect(found).toBeCloseTo(chance, 3);
		expect(chanceWords(found)).toBe(words);
	});
});

describe("links to the charges of a budget", () => {
	it.each([
		["true", {}],
		['job.team == "risk"', { team: ["risk"] }],
		['job.team == "risk" && job.class == "burst"', { team: ["risk"], class: ["burst"] }],
		['job.team == "per" && job.team == "b"', null],
		['job.team == "per" || job.team == "b"', null],
		['job.class == "mood"', null],
		["job.gpus > 8", null],
	])("maps %s to the filters %j", (scope, filters) => expect(scopeFilters(scope)).toEqual(filters));

	it("link to cloud charges for the whole period, a day, a team or a job", () => {
		const counted = "class=baseline,burst,experimental,sensitive,batch_inference";
		const end = "capacity=reserved,on_demand,spot&kind=compute,boot,staging,egress,storage,adjustment";
		expect(budgetDrill(row("all", "true"))).toBe(`/spend/charges?from=2026-11-01&to=2026-11-30&${counted}&${end}`);
		const quarter = row("q", 'job.team == "risk"', { period: "quarter", periodKey: "2026-10-01" });
		expect(budgetDrill(quarter)).toBe(`/spend/charges?from=2026-10-01&to=2026-12-31&team=risk&${counted}&${end}`);
		expect(budgetDrill({ ...quarter, period: "year", periodKey: "2024-02-01" }, { job: "job_1" })).toContain(
			"from=2024-02-01&to=2025-01-31",
		);
		expect(budgetDrill(quarter, { day: "2026-11-03", team: "risk" })).toContain("from=2026-11-03&to=2026-11-03&team=risk");
		expect(budgetDrill(quarter, { team: "nlp" })).toBeNull();
		const some = { ...quarter, seesAllTeams: false };
		expect([budgetDrill(some), budgetDrill(some, { day: "2026-11-03" })]).toEqual([null, null]);
		expect(budgetDrill(some, { team: "risk" })).toBe(budgetDrill(quarter, { team: "risk" }));
		const big = row("big", "job.gpus > 8");
		expect(budgetDrill(big)).toBe("/spend/charges?from=2026-11-01&to=2026-11-30&budget=big");
		expect(budgetDrill(big, { day: "2026-11-03", team: "risk" })).toBe("/spend/charges?from=2026-11-03&to=2026-11-03&team=risk&budget=big");
		expect(budgetDrill(big, { job: "job_1", asOf: "2026-11/1" })).toContain("job=job_1&asOf=2026-11/1&budget=big");
		expect(budgetDrill({ ...big, seesAllTeams: false })).toBeNull();
	});

	it("its changes are those of the spend that it counts; none for scopes that filters cannot express", () => {
		const quarter = row("q", 'job.team == "risk"', { period: "quarter", periodKey: "2026-10-01" });
		expect(budgetSpendView(quarter, "Europe/Berlin")).toMatchObject({
			...{ dates: { from: "2026-10-01", to: "2026-12-31" }, zone: "Europe/Berlin" },
			filters: { team: ["risk"], capacityType: ["reserved", "on_demand", "spot"] },
		});
		expect(budgetSpendView(row("big", "job.gpus > 8"), "UTC")).toBeNull();
		expect(budgetSpendView({ ...quarter, seesAllTeams: false }, "UTC")).toBeNull();
	});

	it("dates follow the ledger's time zone: 1 November in Auckland starts on 31 October, 11:00 UTC", () => {
		const start = Date.UTC(2026, 9, 31, 11);
		const days = burnDownDays({
			...detail({ periodStartMs: start }),
			days: [0, 1].map((n) => ({ dayStartMs: start + n * DAY, postedMicroUsd: M })),
			ahead: [2, 3].map((n) => ({ atMs: start + n * DAY, lowMicroUsd: 3n * M, expectedMicroUsd: 3n * M, highMicroUsd: 3n * M })),
		});
		expect(days.map((d) => [d.date, d.label])).toEqual([
			["2026-11-01", "Sun 1 Nov"],
			["2026-11-02", "Mon 2 Nov"],
			["2026-11-02", "Mon 2 Nov, rest of day"],
			["2026-11-03", "Tue 3 Nov"],
		]);
	});
});
