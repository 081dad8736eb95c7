import { describe, expect, it } from "vitest";
import { csvText, exactDollars, exactKilos } from "./csv.ts";

describe("csvText", () => {
	it.each([
		["=1+1", "'=1+1"],
		["+1", "'+1"],
		["@SUM(A1)", "'@SUM(A1)"],
		["-2+3+cmd", "'-2+3+cmd"],
		["-1.5", "-1.5"],
		["-", "'-"],
		["a,b", '"a,b"'],
		['say "x"', '"say ""x"""'],
		["two\nlines", '"two\nlines"'],
	])("writes %j as %j: escaped, without formulas", (text, written) => {
		expect(csvText([[text, "x"]])).toBe(`${written},x\r\n`);
	});

	it("formats dollars to the micro-dollar, including negatives", () => {
		expect([1_500_000n, -1n, 0n].map(exactDollars)).toEqual(["1.500000", "-0.000001", "0.000000"]);
	});

	it("formats milligrams as kilograms; unknown is empty", () => {
		expect([-1_500_000n, 0n, null].map(exactKilos)).toEqual(["-1.500000", "0.000000", ""]);
	});
});
