import { describe, expect, it } from "vitest";
import { currencyCsv, formatIn, prepareCurrencyRows, ratesText } from "./prepare-currency.ts";

const sums = (total: bigint) => ({ ownedMicro: 0n, idleMicro: 0n, cloudMicro: total, totalMicro: total });
const spend = (key: string, total: bigint) => ({ key, totalMicroUsd: 2n * total, converted: sums(total) });
const rates = { currency: "EUR", from: "2026-11-02", to: "2026-11-25", sources: ["ECB"] };
const answer = { items: [spend("nlp", 1_500_000n), spend("", 250_000n), spend("idle", 0n)], totals: spend("", 1_750_000n), rates } as never;

describe("spend in the reporting currency", () => {
	it("lists groups with cost and the total", () => {
		const rows = prepareCurrencyRows(answer, { by: "team" }, "day");
		expect(rows.map((row) => [row.label, formatIn(row.sums.totalMicro)])).toEqual([
			["nlp", "1.50"],
			["No team", "0.25"],
			["Total", "1.75"],
		]);
		expect(currencyCsv(rows, answer).split("\r\n")[1]).toBe("nlp,0.000000,0.000000,1.500000,1.500000,2026-11-02,2026-11-25,ECB");
	});
	it("names the dates and the source of the rates", () => {
		expect(ratesText(rates)).toBe("Converted at the rate of each day, 2026-11-02 to 2026-11-25, from ECB.");
		expect(ratesText({ ...rates, from: null, to: null })).toBe("Nothing to convert.");
	});
});
