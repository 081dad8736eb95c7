import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "#server/kernel/testing/deep.ts";
import { convertMicroUsd, createConverter, type ExchangeRate, formatRate, parseRate, rateOn } from "./exchange.ts";

const rate = (date: string, units: string, usd: string): ExchangeRate => ({
	date,
	units: parseRate(units) ?? 0n,
	usd: parseRate(usd) ?? 0n,
	source: "test",
});
const amount = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n });
const published = fc.bigInt({ min: 1n, max: 10n ** 14n });
const numRuns = cases(50, 1_000);
const abs = (value: bigint) => (value < 0n ? -value : value);

describe("convertMicroUsd", () => {
	it.each([
		// As the ECB publishes them: 1 EUR = 1.0823 USD = 0.83245 GBP.
		["1", "1.0823", 1_000_000n, 923_958n],
		["0.83245", "1.0823", 1_000_000n, 769_149n],
		["156.2", "1", 1n, 156n],
		// Exactly half: away from zero, on both sides.
		["1", "2", 1n, 1n],
		["1", "2", -1n, -1n],
		["1", "3", 1n, 0n],
	])("%s units for %s dollars", (units, usd, micro, want) => {
		expect(convertMicroUsd(micro, rate("2026-11-26", units, usd))).toBe(want);
	});

	it("is off by at most half a millionth, is odd, preserves order, and keeps amounts at a rate of 1", () => {
		fc.assert(
			fc.property(amount, amount, published, published, (a, b, units, usd) => {
				const of = (micro: bigint) => convertMicroUsd(micro, { units, usd });
				expect(2n * abs(of(a) * usd - a * units) <= usd).toBe(true);
				expect(of(-a)).toBe(-of(a));
				expect(a <= b ? of(a) <= of(b) : of(a) >= of(b)).toBe(true);
				expect(convertMicroUsd(a, { units: usd, usd })).toBe(a);
			}),
			{ numRuns },
		);
	});

	it("differs from the converted sum by at most half a millionth per part", () => {
		fc.assert(
			fc.property(fc.array(amount, { minLength: 1, maxLength: 30 }), published, published, (parts, units, usd) => {
				const sum = (list: bigint[]) => list.reduce((a, b) => a + b, 0n);
				const total = sum(parts.map((part) => convertMicroUsd(part, { units, usd })));
				const exact = sum(parts) * units;
				expect(2n * abs(total * usd - exact) <= BigInt(parts.length) * usd).toBe(true);
			}),
			{ numRuns },
		);
	});
});

describe("rateOn", () => {
	const friday = rate("2026-11-20", "1", "1.08");
	const monday = rate("2026-11-23", "1", "1.09");
	const exchange = { currency: "EUR", rates: [friday, monday] };

	it.each([
		["2026-11-20", friday],
		["2026-11-22", friday],
		["2026-11-23", monday],
		["2026-12-24", monday],
	])("%s uses the last rate on or before it", (day, want) => {
		expect(rateOn(exchange, day)).toBe(want);
	});

	it("rejects dates before the first rate or more than 31 days after the last, naming currency and day", () => {
		expect(() => rateOn(exchange, "2026-11-19")).toThrow("No exchange rate for EUR on 2026-11-19.");
		expect(() => rateOn(exchange, "2026-12-25")).toThrow(/EUR on 2026-12-25\. The last one before it is of 2026-11-23, more than 31 days/);
		expect(() => rateOn({ currency: "GBP", rates: [] }, "2026-11-19")).toThrow("GBP on 2026-11-19");
	});

	it("matches a linear search from the end", () => {
		const days = fc.uniqueArray(fc.integer({ min: 1, max: 28 }), { minLength: 1, maxLength: 28 });
		fc.assert(
			fc.property(days, fc.integer({ min: 1, max: 28 }), (list, at) => {
				const name = (n: number) => `2026-11-${String(n).padStart(2, "0")}`;
				const rates = list.sort((a, b) => a - b).map((n) => rate(name(n), "1", "1"));
				const want = rates.findLast(({ date }) => date <= name(at));
				const found = () => rateOn({ currency: "EUR", rates }, name(at));
				if (want) expect(found()).toBe(want);
				else expect(found).toThrow(name(at));
			}),
			{ numRuns },
		);
	});
});

describe("createConverter", () => {
	it("converts each amount at the rate of its day and lists the rates; an amount of 0 needs none", () => {
		const exchange = { currency: "EUR", rates: [rate("2026-11-20", "1", "2"), rate("2026-11-23", "1", "4"), rate("2026-11-24", "1", "8")] };
		const { convert, view } = createConverter(exchange);
		expect(view()).toEqual({ currency: "EUR", from: null, to: null, sources: [] });
		expect([convert(8n, "2026-11-21"), convert(8n, "2026-11-23"), convert(0n, "2020-01-01")]).toEqual([4n, 2n, 0n]);
		expect(view()).toEqual({ currency: "EUR", from: "2026-11-20", to: "2026-11-23", sources: ["test"] });
		expect(() => convert(1n, "2020-01-01")).toThrow("EUR on 2020-01-01");
	});
});

describe("parseRate", () => {
	it.each(["0", "0.000", "-1", "1e3", "1,08", "", " 1", "1.", ".5", "1.00000000001", "12345678901"])("rejects %j", (text) => {
		expect(parseRate(text)).toBeNull();
	});
	it("reads what formatRate writes", () => {
		fc.assert(
			fc.property(published, (value) => {
				expect(parseRate(formatRate(value))).toBe(value);
			}),
			{ numRuns },
		);
	});
});
