import { describe, expect, it } from "vitest";
import { readDollars } from "./read-dollars.ts";

describe("parses a typed dollar amount", () => {
	it.each([
		["12.50", { usd: "12.50", microUsd: 12_500_000n }],
		[" $1,250 ", { usd: "1250", microUsd: 1_250_000_000n }],
		["0", { usd: "0", microUsd: 0n }],
		["0.000001", { usd: "0.000001", microUsd: 1n }],
		["0.0000001", null],
		["1234567890123", null],
		["", null],
		["-5", null],
		["1.5x", null],
		["1.", null],
	])("%j", (typed, expected) => {
		expect(readDollars(typed)).toEqual(expected);
	});
});
