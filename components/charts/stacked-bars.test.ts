import { describe, expect, it } from "vitest";
import { type Bar, type BarsInput, barEndLabels, barRows, readBar, spacedTicks, tabulateBars } from "./stacked-bars.ts";

const bar = (id: string, more: Partial<Bar>): Bar => ({ id, label: id, posted: [], forecast: [], done: 1, ...more });
const v = (seriesId: string, value: number) => ({ seriesId, value, text: `$${value}` });

const input: BarsInput = {
	axis: "usd",
	series: [
		{ id: "used", label: "Owned, used", fill: "owned" },
		{ id: "spot", label: "Spot", fill: "spot" },
	],
	bars: [
		bar("1", { posted: [v("used", 2000), v("spot", 500)], tick: "1 Nov" }),
		bar("2", { posted: [v("used", 1200), v("spot", 300)], forecast: [v("used", 800), v("spot", 200)], done: 0.6, tick: "today" }),
		bar("3", { forecast: [v("used", 2000), v("spot", 600)], done: 0, range: { low: 2300, high: 3100, text: "$2300 to $3100" } }),
	],
};

describe("barRows", () => {
	it("stacks actual and forecast values and keeps the actual part", () => {
		const [past, today, ahead] = barRows(input);
		expect([past?.values, past?.posted]).toEqual([
			{ used: 2000, spot: 500 },
			{ used: 2000, spot: 500 },
		]);
		expect([today?.values, today?.posted]).toEqual([
			{ used: 2000, spot: 500 },
			{ used: 1200, spot: 300 },
		]);
		expect([ahead?.values, ahead?.posted]).toEqual([
			{ used: 2000, spot: 600 },
			{ used: 0, spot: 0 },
		]);
	});

	it("sums values above and below zero separately", () => {
		const credit = { ...input, bars: [bar("1", { posted: [v("used", 2000), v("spot", -500)] })] };
		expect(barRows(credit).map(({ up, down }) => [up, down])).toEqual([[2000, -500]]);
	});

	it("measures the forecast range from the stacked middle", () => {
		expect(barRows(input).map((row) => row.range ?? null)).toEqual([null, null, { middle: 2600, error: [300, 500] }]);
	});
});

describe("spacedTicks", () => {
	it("keeps the ticks that have room, today's before its neighbors", () => {
		expect(spacedTicks(input.bars, 300)).toEqual([0, 1]);
		expect(spacedTicks(input.bars, 60)).toEqual([1]);
	});
});

describe("barEndLabels", () => {
	it("are at the middle of each series in the last bar", () =>
		expect(barEndLabels(input)).toEqual([
			{ id: "used", text: "Owned, used", value: 1000 },
			{ id: "spot", text: "Spot", value: 2300 },
		]));
	it("ignore a partial bar and omit unused series", () => {
		const partial = { ...input, bars: [...input.bars.slice(0, 1), bar("4", { posted: [v("used", 10)], done: 0.1, partial: true })] };
		expect(barEndLabels(partial).map((label) => label.value)).toEqual([1000, 2250]);
		expect(barEndLabels({ ...input, bars: [] })).toEqual([]);
	});
	it("put a credit below the axis", () => {
		const credit = { ...input, bars: [bar("1", { posted: [v("used", 500), v("spot", -2000)] })] };
		expect(barEndLabels(credit).map((label) => label.value)).toEqual([250, -1000]);
	});
});

describe("readBar", () => {
	it("reads today's actual values", () =>
		expect(readBar(input, 1)).toMatchObject({ label: "2", estimate: false, values: [{ text: "$1200" }, { text: "$300" }] }));
	it("marks a forecast", () => expect(readBar(input, 2)).toMatchObject({ label: "3, forecast", estimate: true }));
	it("returns null for a missing bar", () => expect(readBar(input, 9)).toBeNull());
});

describe("tabulateBars", () => {
	it("has rows for actual and forecast values with the range; gaps are unknown, not $0", () => {
		const gap = bar("0", { label: "0: not on record" });
		const zero = bar("00", { posted: [v("used", 0), v("spot", 0)] });
		expect(tabulateBars({ ...input, bars: [gap, zero, ...input.bars] }).map((r) => [r.label, ...r.cells, r.range])).toEqual([
			["0: not on record", "unknown", "unknown", ""],
			["00", "$0", "$0", ""],
			["1", "$2000", "$500", ""],
			["2", "$1200", "$300", ""],
			["2: remaining, forecast", "$800", "$200", ""],
			["3, forecast", "$2000", "$600", "$2300 to $3100"],
		]);
	});
});
