import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { costOfElapsed, costOfInterval, microToUsdNumber, microToUsdText, mulDivCeil, mulDivFloor, usdToMicro } from "./money.ts";

describe("usdToMicro", () => {
	it.each([
		["12", 12_000_000n],
		["0.526", 526_000n],
		[" 1.5 ", 1_500_000n],
		["0.1234560000", 123_456n],
		["-0.000001", -1n],
		["-0", 0n],
		[50000, 50_000_000_000n],
		[0.1, 100_000n],
		[-2.5, -2_500_000n],
	])("parses %j as %s", (usd, want) => {
		expect(usdToMicro(usd)).toBe(want);
	});

	it.each(["", ".5", "5.", "1e3", "$5", "1,000", "0.1234567", "NaN", "٣", "+1", "--1", Number.NaN, Number.POSITIVE_INFINITY, 1e21])(
		"rejects %j",
		(usd) => {
			expect(() => usdToMicro(usd)).toThrow(RangeError);
		},
	);

	it("rejects a number with more than six decimals instead of rounding it", () => {
		expect(() => usdToMicro(0.1234567)).toThrow(RangeError);
		expect(() => usdToMicro(0.1 + 0.2)).toThrow(RangeError);
		expect(() => usdToMicro(0.0000001)).toThrow(RangeError);
	});

	it("round-trips microToUsdText for every amount", () => {
		fc.assert(fc.property(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), (micro) => usdToMicro(microToUsdText(micro)) === micro));
	});
});

describe("microToUsdText", () => {
	it.each([
		[0n, "0"],
		[1_234_500n, "1.2345"],
		[-1n, "-0.000001"],
		[2_000_000n, "2"],
	])("%s is %s", (micro, want) => {
		expect(microToUsdText(micro)).toBe(want);
	});

	it("converts to a number for charts", () => {
		expect(microToUsdNumber(1_500_000n)).toBe(1.5);
	});
});

const amount = fc.bigInt({ min: 0n, max: 10n ** 18n });
const divisor = fc.bigInt({ min: 1n, max: 10n ** 12n });

describe("division", () => {
	it("loses nothing: quotient × divisor + remainder is the product, and the ceiling is at most one above", () => {
		fc.assert(
			fc.property(amount, amount, divisor, (a, num, den) => {
				const { quotient, remainder } = mulDivFloor(a, num, den);
				expect(quotient * den + remainder).toBe(a * num);
				expect(remainder >= 0n && remainder < den).toBe(true);
				expect(mulDivCeil(a, num, den) - quotient).toBe(remainder === 0n ? 0n : 1n);
			}),
		);
	});

	it.each([
		[1n, 1n, 0n],
		[-1n, 1n, 1n],
		[1n, -1n, 1n],
		[1n, 1n, -1n],
	])("rejects %s × %s / %s", (a, num, den) => {
		expect(() => mulDivFloor(a, num, den)).toThrow(/non-negative/);
	});
});

describe("cost of time", () => {
	it("$3.60 an hour × 1 s = $0.001", () => {
		expect(costOfElapsed(3_600_000n, 1_000)).toBe(1_000n);
	});

	it("parts add up to the whole exactly, for any split", () => {
		const ms = fc.integer({ min: 0, max: 90 * 86_400_000 });
		fc.assert(
			fc.property(fc.bigInt({ min: 0n, max: 10n ** 9n }), fc.array(ms, { minLength: 3, maxLength: 8 }), (price, cuts) => {
				const [start = 0, ...ends] = cuts.sort((a, b) => a - b);
				let from = start;
				let sum = 0n;
				for (const to of ends) {
					sum += costOfInterval(price, start, from, to);
					from = to;
				}
				expect(sum).toBe(costOfElapsed(price, from - start));
			}),
		);
	});

	it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])("rejects %s ms", (ms) => {
		expect(() => costOfElapsed(1n, ms)).toThrow(/whole number/);
	});

	it("rejects an interval that is not within its usage", () => {
		expect(() => costOfInterval(1n, 10, 5, 20)).toThrow(/within/);
		expect(() => costOfInterval(1n, 0, 20, 10)).toThrow(/within/);
	});
});
