import { describe, expect, it } from "vitest";
import { energyQuality, isEstimate } from "../emissions/quality.ts";
import { carbonCsv } from "./export-csv.ts";
import { prepareAvoided } from "./prepare-avoided.ts";
import { type CarbonPage, prepareCarbonBars } from "./prepare-bars.ts";
import { prepareHeat } from "./prepare-heat.ts";
import { prepareQuality } from "./prepare-quality.ts";
import { prepareCarbonTable } from "./prepare-table.ts";
import { type CarbonView, carbonHref, carbonQuery, chargesOf } from "./range.ts";

type Sums = CarbonPage["groups"]["totals"];
type Side = Sums["owned"];

const HOUR = 3_600_000n;
const NOW = Date.UTC(2026, 10, 3, 14, 30);
const NO_SIDE: Side = {
	...{ gpuMs: 0n, energyMilliWh: 0n, measuredEnergyMilliWh: 0n, hourlyGridMilliWh: 0n },
	...{ operationalMilligrams: 0n, embodiedMilligrams: 0n, emissionsUnknownGpuMs: 0n, embodiedUnknownGpuMs: 0n },
};
const VIEW: CarbonView = { range: "month", by: "team", zone: "UTC" };

/** One GPU-hour and one Wh per kilogram. */
const side = (kilograms: bigint, embodied = 0n, changes: Partial<Side> = {}): Side => ({
	...NO_SIDE,
	gpuMs: kilograms * HOUR,
	energyMilliWh: kilograms * 1_000n,
	operationalMilligrams: kilograms * 1_000_000n,
	embodiedMilligrams: embodied * 1_000_000n,
	...changes,
});

function sums(parts: { owned?: Side; idle?: Side; cloud?: Side }, changes: Partial<Sums> = {}): Sums {
	const { owned = NO_SIDE, idle = NO_SIDE, cloud = NO_SIDE } = parts;
	const all = [owned, idle, cloud];
	const sum = (pick: (s: Side) => bigint) => all.reduce((total, s) => total + pick(s), 0n);
	const whole = Object.fromEntries((Object.keys(NO_SIDE) as (keyof Side)[]).map((name) => [name, sum((s) => s[name])])) as unknown as Side;
	const totalMilligrams = whole.operationalMilligrams + whole.embodiedMilligrams;
	return { ...{ owned, idle, cloud, totalMilligrams }, ...whole, marketMilligrams: 0n, marketUnknownGpuMs: 0n, ...changes };
}

const groups = (items: ({ key: string } & Sums)[], totals: Sums): CarbonPage["groups"] => ({
	...{ fromMs: Date.UTC(2026, 10, 1), toMs: Date.UTC(2026, 10, 4), zone: "UTC", groupBy: "team" as const },
	items,
	totals,
});

const vision = { key: "vision", ...sums({ owned: side(6n, 2n), cloud: side(1n) }) };
const unknown = { embodiedUnknownGpuMs: 12n * HOUR };
const risk = { key: "risk", ...sums({ cloud: side(12n, 0n, unknown) }) };
const none = { key: "", ...sums({ idle: side(4n, 1n) }) };
const totals = sums({ owned: side(6n, 2n), idle: side(4n, 1n), cloud: side(13n, 0n, unknown) });

describe("carbon breakdown", () => {
	it("risk 12 + vision 9 + idle 5 = 26 kg: idle in its own row, total last, largest first", () => {
		const rows = prepareCarbonTable(groups([vision, risk, none], totals), VIEW);
		expect(rows.map((r) => [r.label, r.totalMilligrams / 1_000_000n, r.incomplete])).toEqual([
			["risk", 12n, true],
			["vision", 9n, false],
			["Idle", 5n, false],
			["Total", 26n, true],
		]);
		expect(rows.slice(0, -1).reduce((sum, r) => sum + r.totalMilligrams, 0n)).toBe(rows.at(-1)?.totalMilligrams);
		expect(rows[1]?.milligramsPerGpuHour).toBe(9_000_000n / 7n);
		expect(rows.map((r) => r.share)).toEqual([12 / 26, 9 / 26, 5 / 26, 1]);
	});

	it("links each row to its charges, excluding idle hardware of the group", () => {
		const rows = prepareCarbonTable(groups([vision, risk, none], totals), VIEW);
		expect(rows.map((r) => r.href)).toEqual([
			"/spend/charges?team=risk&of=carbon",
			"/spend/charges?team=vision&of=carbon",
			"/spend/charges?class=~&capacity=owned&of=carbon",
			"/spend/charges?of=carbon",
		]);
		const hall = { key: "hall", ...sums({ owned: side(6n), idle: side(4n) }) };
		const [first] = prepareCarbonTable(groups([hall], hall), { ...VIEW, range: "12m", by: "site" });
		expect(first?.href).toBe("/spend/charges?range=12m&site=hall&without=idle&of=carbon");
	});

	it("reports data quality per row (3 of 6 Wh measured in use, 0 idle, 3 of 10 total) and incomplete rows", () => {
		const measured = { measuredEnergyMilliWh: 3_000n, hourlyGridMilliWh: 6_000n };
		const given = sums({ owned: side(6n, 0n, measured), idle: side(4n, 0n, { emissionsUnknownGpuMs: 1n }) });
		const rows = prepareCarbonTable(groups([{ key: "vision", ...given }], given), VIEW);
		expect(rows.map((r) => [r.kind, energyQuality(r.energy), isEstimate(r.energy), r.incomplete])).toEqual([
			["group", "50% measured, hourly grid", true, false],
			["idle", "estimated, average grid", true, true],
			["total", "30% measured, 60% hourly grid", true, true],
		]);
		expect([isEstimate(side(1n, 0n, { measuredEnergyMilliWh: 1_000n })), isEstimate(NO_SIDE)]).toEqual([false, true]);
	});

	it("exports the same rows, exact to the milligram, without formulas", () => {
		const rows = prepareCarbonTable(groups([{ ...vision, key: "=1+1" }], vision), VIEW);
		const [head, first] = carbonCsv(rows, "team", { fromMs: 0, toMs: NOW }).split("\r\n");
		expect(head).toMatch(/^Team,Operational kg CO2e/);
		expect(first).toMatch(/^'=1\+1,7\.000000,2\.000000,9\.000000,1\.000000,7\.0000,1\.285714,0\.007000,0\.000000,0\.000000,yes,/);
	});
});

describe("carbon bars", () => {
	it("has every day up to today, gaps without data, and omits empty series", () => {
		const series = { ...groups([{ ...vision, key: "2026-11-01" }], totals), groupBy: "day" as const };
		const { bars, series: shown, axis } = prepareCarbonBars(series, NOW);
		expect(axis).toBe("kg");
		expect(shown.map((s) => s.id)).toEqual(["home", "cloud", "embodied"]);
		expect(bars.map((b) => [b.id, b.posted.length, b.partial])).toEqual([
			["2026-11-01", 3, false],
			["2026-11-02", 0, false],
			["2026-11-03", 0, true],
		]);
		expect(bars[0]?.posted.map((v) => [v.seriesId, v.value, v.text])).toEqual([
			["home", 6, "≈ 6.00 kg"],
			["cloud", 1, "≈ 1.00 kg"],
			["embodied", 2, "≈ 2.00 kg"],
		]);
	});

	it("labels months, includes empty ones, and omits the estimate sign for measured values", () => {
		const measured = { key: "2026-09-01", ...sums({ owned: side(6n, 0n, { measuredEnergyMilliWh: 6_000n }) }) };
		const days = { fromMs: Date.UTC(2026, 8, 1), toMs: Date.UTC(2026, 10, 4) };
		const series = { ...groups([measured, { ...vision, key: "2026-11-01" }], totals), ...days, groupBy: "month" as const };
		expect(prepareCarbonBars(series, NOW).bars.map((b) => [b.label, b.tick, b.posted[0]?.text])).toEqual([
			["September 2026", "Sep", "6.00 kg"],
			["October 2026: no data", "Oct", undefined],
			["November 2026", "Nov", "≈ 6.00 kg"],
		]);
	});

	it("uses days of the ledger's zone: at 23:30 UTC, Berlin's bars end with the next day", () => {
		const berlin = { fromMs: Date.UTC(2026, 9, 31, 23), toMs: Date.UTC(2026, 10, 4, 23), zone: "Europe/Berlin" };
		const series = { ...groups([{ ...vision, key: "2026-11-01" }], totals), ...berlin, groupBy: "day" as const };
		const { bars } = prepareCarbonBars(series, Date.UTC(2026, 10, 2, 23, 30));
		expect(bars.map((b) => [b.label, b.posted.length])).toEqual([
			["Sun 1 Nov", 3],
			["Mon 2 Nov: no data", 0],
			["Today to now: no data", 0],
		]);
	});
});

describe("grid heat table", () => {
	const cell = (hour: number, gramsPerKwh: number | null, basis: "hour" | "forecast" | "average") => ({
		hourMs: Date.UTC(2026, 10, 3, hour),
		gramsPerKwh,
		basis,
	});
	const place = { siteId: "aws", name: "AWS", provider: "aws" as const, zone: "SE", pue: 1.1, averageGramsPerKwh: 25, averageYear: 2024 };
	const view: CarbonPage["grid"] = {
		dayStartMs: Date.UTC(2026, 10, 3),
		places: [
			{ ...place, region: "eu-north-1", hadWork: true, meanGramsPerKwh: 24.6, cells: [cell(14, 30.4, "hour"), cell(15, 20, "forecast")] },
			{ ...place, region: "", name: "Hall B", hadWork: false, meanGramsPerKwh: null, zone: null, cells: [cell(14, null, "average")] },
		],
	};

	it("rounds, names each figure's basis and marks the current hour", () => {
		const { rows, hasHours, hasForecast } = prepareHeat(view, NOW);
		expect([hasHours, hasForecast]).toEqual([true, true]);
		expect(rows[0]).toMatchObject({ place: "eu-north-1", detail: "aws, SE", hadWork: true, averageOnly: false, mean: "25" });
		expect(rows[0]?.cells.map((c) => [c.text, c.now, c.basis])).toEqual([
			["30", true, "hour"],
			["20", false, "forecast"],
		]);
		expect(rows[0]?.cells[0]?.strength).toBeCloseTo(30.4 / 900, 9);
	});

	it("shows unknown values as unknown, not 0", () => {
		const [, home] = prepareHeat(view, NOW).rows;
		expect(home).toMatchObject({ place: "Hall B", detail: "owned, zone unknown", averageOnly: true, mean: "unknown" });
		expect(home?.cells[0]).toMatchObject({ text: "–", strength: null, said: "00:00 UTC: unknown" });
	});
});

describe("data quality", () => {
	it("shows each pair as parts of its total: 25% measured, 75% estimated, all yearly averages; gaps only where present", () => {
		const given = sums({ owned: side(4n) }, { measuredEnergyMilliWh: 1_000n, marketUnknownGpuMs: HOUR });
		expect(prepareQuality(given).map((r) => [r.id, r.share, r.gap])).toEqual([
			["measured", 0.25, false],
			["estimated", 0.75, false],
			["average", 1, false],
			["contract", 0.25, true],
		]);
		expect(prepareQuality(sums({})).map((r) => r.share)).toEqual([0, 0]);
	});
});

describe("avoided emissions", () => {
	it("draws both comparisons on one scale; added emissions are negative", () => {
		const one = {
			gpuMs: HOUR,
			actualMilligrams: 50n,
			counterfactualMilligrams: 200n,
			avoidedMilligrams: 150n,
			calculation: "words",
			jobs: null,
		};
		const home = { ...one, against: "home" as const };
		const removedOffer = { ...one, against: "removed_offer" as const, counterfactualMilligrams: 10n, avoidedMilligrams: -40n, jobs: 3 };
		const rows = prepareAvoided({ fromMs: 0, toMs: 1, home, removedOffer });
		expect(rows.map((r) => [r.id, r.actualWidth, r.counterfactualWidth, r.avoidedMilligrams])).toEqual([
			["home", 0.25, 1, 150n],
			["removed_offer", 0.25, 0.05, -40n],
		]);
		expect(prepareAvoided({ fromMs: 0, toMs: 1, home: null, removedOffer: null })).toEqual([]);
	});
});

describe("carbon range in the URL", () => {
	it("uses whole days of the ledger's zone; twelve months start on the first of a month", () => {
		const year = { ...VIEW, range: "12m" as const };
		expect(carbonQuery(year, NOW)).toEqual({ fromMs: Date.UTC(2025, 11, 1), toMs: Date.UTC(2026, 10, 4), groupBy: "team" });
		expect(carbonQuery({ ...year, zone: "Europe/Berlin" }, NOW).fromMs).toBe(Date.UTC(2025, 10, 30, 23));
		expect(chargesOf(VIEW, { span: { fromMs: Date.UTC(2026, 10, 2), toMs: Date.UTC(2026, 10, 3) } })).toBe(
			"/spend/charges?from=2026-11-02&to=2026-11-02&of=carbon",
		);
		expect(carbonHref({ range: "12m", by: "region" })).toBe("/carbon?range=12m&by=region");
		expect(carbonHref({ range: "month", by: "team" })).toBe("/carbon");
	});
});
