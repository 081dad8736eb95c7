import { expect, it } from "vitest";
import { csvCell } from "./csv.ts";

it("guards text that a spreadsheet would execute, and leaves numbers alone", () => {
	for (const [cell, written] of [
		["=1+1", "'=1+1"],
		["+cmd", "'+cmd"],
		["@SUM(A1)", "'@SUM(A1)"],
		["-2+3", "'-2+3"],
		['=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
		["-12.5", "-12.5"],
		["-1e-7", "-1e-7"],
		["plain", "plain"],
		["NULL", '"NULL"'],
	] as const)
		expect(csvCell(cell)).toBe(written);
});
