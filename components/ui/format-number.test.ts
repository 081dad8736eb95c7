import { describe, expect, it } from "vitest";
import { formatChange, formatCount, formatPercent, formatThreeDigits } from "./format-number.ts";

describe("formatCount", () => {
	it("groups thousands", () => expect(formatCount(12480.4)).toBe("12,480"));
});

describe("formatPercent", () => {
	it.each([
		[0.26, "26%"],
		[0.0412, "4.1%"],
		[0.05, "5%"],
		[0, "0%"],
		[1, "100%"],
		[-0.031, "−3.1%"],
	])("formats %f as %s", (share, text) => expect(formatPercent(share)).toBe(text));
});

describe("formatChange", () => {
	it.each([
		[0.18, "+18%"],
		[-0.09, "−9%"],
		[0.001, "0%"],
		[-0.001, "0%"],
	])("formats %f as %s", (share, text) => expect(formatChange(share)).toBe(text));
});

describe("formatThreeDigits", () => {
	it.each([
		[0.418, "0.42"],
		[6.42, "6.42"],
		[49.71, "49.7"],
		[334.2, "334"],
		[9.999, "10.0"],
		[0, "0"],
		[-6.42, "−6.42"],
	])("formats %f as %s", (value, text) => expect(formatThreeDigits(value)).toBe(text));
});
