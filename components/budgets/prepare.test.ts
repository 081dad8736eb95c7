import { describe, expect, it } from "vitest";
import { budgetDrill } from "./drill.ts";
import { budgetsCsv } from "./export-csv.ts";
import type { BudgetDetail, BudgetRow } from "./params.ts";
import { burnDownDays, prepareBurnDown } from "./prepare-burn-down.ts";
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
/** Four days of $10, the fifth is today and has nothing yet. */
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
	it("has the rows as they are shown, to the micro-dollar, and nothing where no forecast is", () => {
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
	it("sets each budget below the narrowest one that holds it, whatever the policy's order", () => {
		const rows = prepareRows([
			row("fraud", 'job.team == "risk" && job.project == "fraud"'),
			row("all", "true"),
			row("risk", 'job.team == "risk"'),
			row("risk-year", 'job.team == "risk"', { period: "year" }),
			row("either", 'job.team == "a" || job.team == "b"'),
		]);
		expect(rows.map((r) => [r.depth, r.budget.id, r.name])).toEqual([
			[0, "all", "everybody"],
			[1, "risk", "team risk"],
			[2, "fraud", 'job.team == "risk" && job.project == "fraud"'],
			[1, "risk-year", "team risk"],
			[1, "either", 'job.team == "a" || job.team == "b"'],
		]);
	});

	it("says how the forecast stands against the cap", () => {
		const against = (expected: bigint) => prepareRows([row("a", "true", { forecast: forecast(1n, expected, 200n) })])[0]?.against;
		expect(against(96n)).toEqual({ text: "$4.00 under", over: false });
		expect(against(100n)).toEqual({ text: "at the cap", over: false });
		expect(against(130n)).toEqual({ text: "$30 over", over: true });
		expect(prepareRows([row("a", "true")])[0]?.against).toBeNull();
	});

	it("a cap of 0 has no share to divide by", () => {
		expect(prepareRows([row("a", "true", { capMicroUsd: 0n, postedMicroUsd: 5n, heldMicroUsd: 0n })])[0]?.bar).toEqual({
			posted: 1,
			held: 0,
			forecast: null,
		});
	});
});

describe("prepareBurnDown", () => {
	const box = { width: 760, height: 300 };
	it("begins at the cap, falls by each day, and goes on to best, middle and worst", () => {
		const picture = prepareBurnDown(detail(), START + 4.5 * DAY, box);
		const { margin } = picture;
		const y = (left: number) => margin.top + ((100 - left) / 120) * (box.height - margin.top - margin.bottom);
		expect(picture.line.startsWith(`M${margin.left} ${margin.top}`)).toBe(true);
		expect(picture.now?.y).toBeCloseTo(y(60), 5);
		expect(picture.held?.height).toBeCloseTo(y(50) - y(60), 5);
		expect(picture.zeroY).toBeCloseTo(y(0), 5);
		expect(picture.endLabels.map((l) => [l.text, l.over])).toEqual([
			["$20 left, at best", false],
			["$0 left", false],
			["$20 over, at worst", true],
		]);
		expect(picture.passes).toBe(true);
	});

	it("a period that is over has no now, nothing held and nothing to come", () => {
		const picture = prepareBurnDown(detail({ ahead: [], forecast: null }), null, box);
		expect(picture).toMatchObject({ now: null, held: null, ahead: null, endLabels: [] });
	});

	it("draws a cap of 0 and a period without a day", () => {
		const picture = prepareBurnDown(
			detail({ capMicroUsd: 0n, postedMicroUsd: 0n, heldMicroUsd: 0n, days: [], ahead: [], forecast: null }),
			START,
			box,
		);
		expect(picture.line).toBe("");
		expect(Number.isFinite(picture.zeroY)).toBe(true);
	});

	it("its table: days over, the rest of today, days to come as estimates", () => {
		const days = burnDownDays(detail());
		expect(days).toHaveLength(7);
		expect(days[0]).toMatchObject({ label: "Sun 1 Nov", posted: "$10.00", left: "$90.00", likely: "", estimate: false });
		expect(days[5]).toMatchObject({
			label: "Thu 5 Nov, rest of the day",
			posted: "≈ $10",
			left: "≈ $50",
			likely: "≈ $45 to ≈ $55",
			estimate: true,
		});
		expect(days[6]).toMatchObject({ label: "Mon 30 Nov", posted: "≈ $50", left: "$0" });
	});
});

describe("prepareWay", () => {
	it("20% was passed on the 2nd, 50% is expected on the 5th, the cap on the 30th", () => {
		const way = prepareWay(detail(), [20, 50]);
		expect(way.map((s) => [s.percent, s.passed, s.dayMs === null ? null : new Date(s.dayMs).toISOString().slice(0, 10)])).toEqual([
			[20, true, "2026-11-02"],
			[50, false, "2026-11-05"],
			[100, false, "2026-11-30"],
		]);
		expect(way[2]?.what).toMatch(/^No new bursts/);
	});

	it("without a forecast nothing is expected", () => {
		expect(prepareWay(detail({ ahead: [] }), [80]).map((s) => s.dayMs)).toEqual([null, null]);
	});

	it.each([
		[100n, 0.5, "there is about 1 chance in 2 that it is reached"],
		[120n, 0.1, "there is about 1 chance in 10 that it is reached"],
		[80n, 0.9, "there are about 9 chances in 10 that it is reached"],
		[200n, 0, "it is not expected to be reached"],
	])("a cap of $%d against 80 to 120 is passed in %d", (cap, chance, words) => {
		const found = chanceOfPassing({ capMicroUsd: cap * M, forecast: forecast(80n, 100n, 120n) }) ?? -1;
		expect(found).toBeCloseTo(chance, 3);
		expect(chanceWords(found)).toBe(words);
	});
});

describe("the charges that a budget counts", () => {
	it.each([
		["true", {}],
		['job.team == "risk"', { team: ["risk"] }],
		['job.team == "risk" && job.class == "burst"', { team: ["risk"], class: ["burst"] }],
		['job.team == "a" && job.team == "b"', null],
		['job.team == "a" || job.team == "b"', null],
		['job.class == "mood"', null],
		["job.gpus > 8", null],
	])("%s is said by the filters %j", (scope, filters) => expect(scopeFilters(scope)).toEqual(filters));

	it("are those of jobs in clouds, in the whole period, on one day, of a team or a job", () => {
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

	it("days have the dates of the ledger's calendar, wherever it is: Auckland's 1 November begins on 31 October, 11:00 UTC", () => {
		const start = Date.UTC(2026, 9, 31, 11);
		const days = burnDownDays({
			...detail({ periodStartMs: start }),
			days: [0, 1].map((n) => ({ dayStartMs: start + n * DAY, postedMicroUsd: M })),
			ahead: [2, 3].map((n) => ({ atMs: start + n * DAY, lowMicroUsd: 3n * M, expectedMicroUsd: 3n * M, highMicroUsd: 3n * M })),
		});
		expect(days.map((d) => [d.date, d.label])).toEqual([
			["2026-11-01", "Sun 1 Nov"],
			["2026-11-02", "Mon 2 Nov"],
			["2026-11-02", "Mon 2 Nov, rest of the day"],
			["2026-11-03", "Tue 3 Nov"],
		]);
	});
});
