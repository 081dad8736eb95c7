import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { GridAhead } from "./grid-ahead.ts";

const START_MS = Date.UTC(2026, 0, 5);
/** 300 g/kWh, but 100 at 12:00; the third day is 50 higher. */
const DAYS = 30;
const hours = Array.from({ length: DAYS * 24 }, (_, i) => (i % 24 === 12 ? 100 : 300) + (Math.floor(i / 24) === 2 ? 50 : 0));
const grid = new Map([["home", hours]]);
const at = (kind: "history" | "persistence" | "perfect", afterMs: number): readonly number[] =>
	new GridAhead(grid, START_MS, kind).ahead(START_MS + afterMs).get("home") ?? [];

describe("GridAhead", () => {
	it("shows the actual future hours under perfect, and the hours of a day ago under persistence", () => {
		expect(at("perfect", DAY_MS).slice(0, 26)).toEqual(hours.slice(24, 50));
		// The current hour is known; the next day is assumed to repeat this one.
		expect(at("persistence", 2 * DAY_MS).slice(0, 14)).toEqual([350, ...hours.slice(25, 38)]);
	});

	it("learns the dip at noon from the days before; days before the start come from the end of the series", () => {
		const history = at("history", 6 * HOUR_MS);
		expect(history[0]).toBe(300);
		expect(history[6]).toBeLessThan(150);
		expect(history[7]).toBeGreaterThan(250);
	});

	it("shows a given forecast for a place instead of the kind's own", () => {
		const given = new Map([["home", hours.map(() => 7)]]);
		expect(new GridAhead(grid, START_MS, "history", given).ahead(START_MS).get("home")?.[5]).toBe(7);
	});
});
