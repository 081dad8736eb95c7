import { describe, expect, it } from "vitest";
import { carbonCsv, exactKg } from "./export-csv.ts";
import { prepareAvoided } from "./prepare-avoided.ts";
import { type CarbonPage, prepareCarbonBars } from "./prepare-bars.ts";
import { prepareHeat } from "./prepare-heat.ts";
import { prepareQuality } from "./prepare-quality.ts";
import { prepareCarbonTable } from "./prepare-table.ts";
import { carbonHref, rangeLabel, rangeOf } from "./range.ts";

type Sums = CarbonPage["groups"]["totals"];
type Side = Sums["owned"];

const HOUR = 3_600_000n;
const NOW = Date.UTC(2026, 10, 3, 14, 30);
const NO_SIDE: Side = { gpuMs: 0n, energyMilliWh: 0n, operationalMilligrams: 0n, embodiedMilligrams: 0n };

/** One GPU-hour a kilogram. */
const side = (kilograms: bigint, embodied = 0n): Side => ({
	gpuMs: kilograms * HOUR,
	energyMilliWh: kilograms * 1_000n,
	operationalMilligrams: kilograms * 1_000_000n,
	embodiedMilligrams: embodied * 1_000_000n,
});

function sums(parts: { owned?: Side; idle?: Side; cloud?: Side }, changes: Partial<Sums> = {}): Sums {
	const { owned = NO_SIDE, idle = NO_SIDE, cloud = NO_SIDE } = parts;
	const all = [owned, idle, cloud];
	const sum = (pick: (s: Side) => bigint) => all.reduce((total, s) => total + pick(s), 0n);
	const [operationalMilligrams, embodiedMilligrams] = [sum((s) => s.operationalMilligrams), sum((s) => s.embodiedMilligrams)];
	return {
		...{ owned, idle, cloud, operationalMilligrams, embodiedMilligrams },
		...{ gpuMs: sum((s) => s.gpuMs), energyMilliWh: sum((s) => s.energyMilliWh) },
		totalMilligrams: operationalMilligrams + embodiedMilligrams,
		...{ marketMilligrams: 0n, measuredEnergyMilliWh: 0n, hourlyGridMilliWh: 0n },
		...{ emissionsUnknownGpuMs: 0n, marketUnknownGpuMs: 0n, embodiedUnknownGpuMs: 0n },
		...changes,
	};
}

const groups = (items: ({ key: string } & Sums)[], totals: Sums): CarbonPage["groups"] => ({
	...{ fromMs: Date.UTC(2026, 10, 1), toMs: Date.UTC(2026, 10, 4), zone: "UTC", groupBy: "team" as const },
	items,
	totals,
});

const vision = { key: "vision", ...sums({ owned: side(6n, 2n), cloud: side(1n) }) };
const risk = { key: "risk", ...sums({ cloud: side(12n) }, { embodiedUnknownGpuMs: 12n * HOUR }) };
const none = { key: "", ...sums({ idle: side(4n, 1n) }) };
const totals = sums({ owned: side(6n, 2n), idle: side(4n, 1n), cloud: side(13n) }, { embodiedUnknownGpuMs: 12n * HOUR });

describe("the table", () => {
	it("risk 12 + vision 9 + idle 5 = 26 kg: idle in a row of its own, the sum below, most first", () => {
		const rows = prepareCarbonTable(groups([vision, risk, none], totals), "team");
		expect(rows.map((r) => [r.label, r.totalMilligrams / 1_000_000n, r.incomplete])).toEqual([
			["risk", 12n, true],
			["vision", 9n, false],
			["Idle, nobody's", 5n, false],
			["All", 26n, true],
		]);
		expect(rows.slice(0, -1).reduce((sum, r) => sum + r.totalMilligrams, 0n)).toBe(rows.at(-1)?.totalMilligrams);
		expect(rows[1]?.milligramsPerGpuHour).toBe(9_000_000n / 7n);
		expect(rows.map((r) => r.share)).toEqual([12 / 26, 9 / 26, 5 / 26, 1]);
	});

	it("exports the same rows, in kilograms to the milligram, and no formula", () => {
		const rows = prepareCarbonTable(groups([{ ...vision, key: "=1+1" }], vision), "team");
		const [head, first] = carbonCsv(rows, "team", { fromMs: 0, toMs: NOW }).split("\r\n");
		expect(head).toMatch(/^Team,Operational kg CO2e/);
		expect(first).toMatch(/^'=1\+1,7\.000000,2\.000000,9\.000000,1\.000000,7\.0000,1\.285714,yes,/);
		expect(exactKg(-1_500_000n)).toBe("-1.500000");
	});
});

describe("the bars", () => {
	it("has every day up to today, with gaps where nothing was metered, and leaves series out that are nothing", () => {
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
			["home", 6, "6.00 kg"],
			["cloud", 1, "1.00 kg"],
			["embodied", 2, "2.00 kg"],
		]);
	});

	it("has months under their names", () => {
		const series = { ...groups([{ ...vision, key: "2026-10-01" }], totals), groupBy: "month" as const };
		expect(prepareCarbonBars(series, NOW).bars.map((b) => [b.label, b.tick])).toEqual([["October 2026", "Oct"]]);
	});
});

describe("the heat map", () => {
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

	it("rounds, says what each figure is, and marks the hour that it is", () => {
		const { rows, hasHours, hasForecast } = prepareHeat(view, NOW);
		expect([hasHours, hasForecast]).toEqual([true, true]);
		expect(rows[0]).toMatchObject({ place: "eu-north-1", detail: "aws, SE", hadWork: true, averageOnly: false, mean: "25" });
		expect(rows[0]?.cells.map((c) => [c.text, c.now, c.basis])).toEqual([
			["30", true, "hour"],
			["20", false, "forecast"],
		]);
		expect(rows[0]?.cells[0]?.strength).toBeCloseTo(30.4 / 900, 9);
	});

	it("says that nothing is known, rather than 0", () => {
		const [, home] = prepareHeat(view, NOW).rows;
		expect(home).toMatchObject({ place: "Hall B", detail: "at home, zone not known", averageOnly: true, mean: "not known" });
		expect(home?.cells[0]).toMatchObject({ text: "–", strength: null, said: "00:00 UTC: not known" });
	});
});

describe("the quality of the figures", () => {
	it("tells each pair to its whole: 25% measured and 75% estimated, all by the average; gaps only where there are any", () => {
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

describe("what was avoided", () => {
	it("draws both comparisons on one scale, and keeps what was more below zero", () => {
		const one = {
			gpuMs: HOUR,
			actualMilligrams: 50n,
			counterfactualMilligrams: 200n,
			avoidedMilligrams: 150n,
			reckoning: "words",
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

describe("the range in the URL", () => {
	it("is whole days; twelve months begin with a month", () => {
		expect(rangeOf("12m", NOW)).toEqual({ fromMs: Date.UTC(2025, 11, 1), toMs: Date.UTC(2026, 10, 4) });
		expect(rangeLabel("12m", NOW)).toBe("12 months");
		expect(carbonHref({ range: "12m", by: "region" })).toBe("/carbon?range=12m&by=region");
		expect(carbonHref({ range: "month", by: "team" })).toBe("/carbon");
	});
});
