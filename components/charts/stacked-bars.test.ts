import { describe, expect, it } from "vitest";
import { type Bar, type BarsInput, prepareBars, readBar, tabulateBars } from "./stacked-bars.ts";

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
const picture = prepareBars(input, { width: 800, height: 292 });

describe("prepareBars", () => {
	it("stacks each bar from the axis without a gap", () => {
		const [used, spot] = picture.rects.filter((r) => r.id.startsWith("1-"));
		expect(picture.baseY - (used?.y ?? 0)).toBeCloseTo(picture.baseY - picture.y(2000));
		expect(spot?.y).toBeCloseTo(picture.y(2500));
	});

	it("parts today at the time of the day", () => {
		const today = picture.rects.filter((r) => r.seriesId === "used" && r.id.startsWith("2-"));
		expect(today.map((r) => r.forecast)).toEqual([false, true]);
		const [known, coming] = today;
		expect((known?.width ?? 0) / ((known?.width ?? 0) + (coming?.width ?? 0))).toBeCloseTo(0.6);
		expect(picture.nowX).toBeCloseTo((known?.x ?? 0) + (known?.width ?? 0));
	});

	it("gives the axis room for the forecast's high end", () => expect(picture.yTicks.at(-1)?.value).toBeGreaterThanOrEqual(3100));

	it("hangs what is below zero from the axis, so that a credit is seen: 500 of use and 2,000 given back", () => {
		const credit = { ...input, bars: [bar("1", { posted: [v("used", 500), v("spot", -2000)] }), ...input.bars.slice(0, 1)] };
		const p = prepareBars(credit, { width: 800, height: 292 });
		expect(p.yTicks.map((t) => t.value)).toEqual([-2000, -1000, 0, 1000, 2000, 3000]);
		const [used, spot] = p.rects.filter((r) => r.id.startsWith("1-"));
		expect([used?.y, spot?.y]).toEqual([p.y(500), p.baseY]);
		// A hairline parts it from the next one below.
		expect((spot?.y ?? 0) + (spot?.height ?? 0) + 0.6).toBeCloseTo(p.y(-2000));
		expect(p.floorY).toBe(p.y(-2000));
		expect(picture.floorY).toBe(picture.baseY);
	});

	it("draws an axis when there is nothing", () => {
		const none = prepareBars({ ...input, bars: [] }, { width: 800, height: 292 });
		expect(none.rects).toEqual([]);
		expect(JSON.stringify(none)).not.toMatch(/NaN|null.*Infinity/);
	});

	it("keeps today's tick when there is no room for all", () => {
		const crowded = prepareBars(
			{ ...input, bars: input.bars.map((b) => ({ ...b, tick: b.done > 0 && b.done < 1 ? "today" : "a rather long word" })) },
			{ width: 160, height: 200 },
		);
		expect(crowded.xTicks.map((t) => t.text)).toEqual(["today"]);
	});
});

describe("readBar", () => {
	it("reads what is known of today", () =>
		expect(readBar(input, 1)).toMatchObject({ label: "2", estimate: false, values: [{ text: "$1200" }, { text: "$300" }] }));
	it("says when it is a forecast", () => expect(readBar(input, 2)).toMatchObject({ label: "3, forecast", estimate: true }));
	it("has nothing to say of a day that is not there", () => expect(readBar(input, 9)).toBeNull());
});

describe("tabulateBars", () => {
	it("has a row for what is known and one for what is to come, with its range; of a gap it says that nothing is known, not $0", () => {
		const gap = bar("0", { label: "0: not on record" });
		const zero = bar("00", { posted: [v("used", 0), v("spot", 0)] });
		expect(tabulateBars({ ...input, bars: [gap, zero, ...input.bars] }).map((r) => [r.label, ...r.cells, r.range])).toEqual([
			["0: not on record", "not known", "not known", ""],
			["00", "$0", "$0", ""],
			["1", "$2000", "$500", ""],
			["2", "$1200", "$300", ""],
			["2: the rest, forecast", "$800", "$200", ""],
			["3, forecast", "$2000", "$600", "$2300 to $3100"],
		]);
	});
});
