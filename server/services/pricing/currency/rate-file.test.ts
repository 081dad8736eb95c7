import { describe, expect, it } from "vitest";
import { readRateFile } from "./rate-file.ts";

describe("readRateFile", () => {
	it("reads date,currency,rate in any order of columns", () => {
		expect(readRateFile("currency,rate,date\nEUR,0.92390,2026-11-25\nJPY,156.2,2026-11-25\n")).toEqual([
			{ currency: "EUR", date: "2026-11-25", units: "0.9239", usd: "1" },
			{ currency: "JPY", date: "2026-11-25", units: "156.2", usd: "1" },
		]);
	});

	it("reads the ECB's history, converts rates per euro to rates per dollar, and skips N/A and the last empty column", () => {
		expect(readRateFile("Date,USD,GBP,CYP,\n2026-11-25,1.0823,0.83245,N/A,\n")).toEqual([
			{ currency: "EUR", date: "2026-11-25", units: "1", usd: "1.0823" },
			{ currency: "GBP", date: "2026-11-25", units: "0.83245", usd: "1.0823" },
		]);
	});

	it("reads the ECB's daily file", () => {
		expect(readRateFile("Date, USD, JPY, \n5 November 2026, 1.0823, 169.05, \n")).toEqual([
			{ currency: "EUR", date: "2026-11-05", units: "1", usd: "1.0823" },
			{ currency: "JPY", date: "2026-11-05", units: "169.05", usd: "1.0823" },
		]);
	});

	it.each([
		["day,currency,value\n", /header is neither/],
		["date,currency,rate\n", /has no rates/],
		["date,currency,rate\n2026-02-30,EUR,1\n", /line 2: "2026-02-30" is not a date/],
		["date,currency,rate\n2026-11-25,USD,1\n", /line 2: "USD" is not a currency to convert to/],
		["date,currency,rate\n2026-11-25,euro,1\n", /line 2: "euro" is not a currency/],
		["date,currency,rate\n2026-11-25,EUR,0\n", /line 2: "0" is not a rate above 0/],
		['date,currency,rate\n2026-11-25,EUR,"0,92"\n', /line 2: "0,92" is not a rate/],
		["date,currency,rate\n2026-11-25,EUR,0.92\n2026-11-25,EUR,0.93\n", /line 3 has another rate for EUR on 2026-11-25/],
		["Date,USD,GBP\n2026-11-25,N/A,0.83\n", /line 2: "N\/A" is not a rate/],
		["date,currency,rate\n2026-11-25,EUR,1,0823\n", /line 2 has more values than the header has columns/],
		["Date,USD,JPY\n2026-11-25,1,0823,169\n", /line 2 has more values than the header/],
		["date,currency,rate,Rate\n2026-11-25,EUR,1,2\n", /names rate twice/],
		["Date,USD,USD,JPY\n2026-11-25,1.1,1.2,150\n", /names usd twice/],
		["\n\ndate,currency,rate\n\n2026-11-25,EUR,x\n", /line 5: "x" is not a rate/],
		['date,currency,rate\n"2026', /Could not read the exchange rates/],
	])("rejects %j", (text, message) => {
		expect(() => readRateFile(text)).toThrow(message);
	});
});
