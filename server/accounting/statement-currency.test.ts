import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "#server/kernel/testing/deep.ts";
import { createConverter, parseRate } from "./exchange.ts";
import { statementInCurrency } from "./statement-currency.ts";
import type { DayRow } from "./statement-facts.ts";

const rate = (date: string, usd: string) => ({ date, units: parseRate("1") ?? 0n, usd: parseRate(usd) ?? 0n, source: "ECB" });
const converter = () =>
	createConverter({ currency: "EUR", rates: [rate("2026-10-01", "1.25"), rate("2026-10-12", "1.6"), rate("2026-10-20", "1.1")] });
const row = (part: Partial<DayRow>): DayRow => ({
	...{ day: "2026-10-05", team: "nlp", project: "p", capacityType: "spot", kind: "compute", idle: false, effectiveMicroUsd: 1_000_000n },
	...part,
});

describe("statementInCurrency", () => {
	it("converts each day at its rate and keeps the rates used", () => {
		const rows = [row({}), row({ day: "2026-10-13", team: "", capacityType: "owned", idle: true, effectiveMicroUsd: 3_200_000n })];
		expect(statementInCurrency(rows, converter(), "")).toEqual({
			currency: "EUR",
			rates: [
				{ date: "2026-10-01", units: "1", usd: "1.25", source: "ECB" },
				{ date: "2026-10-12", units: "1", usd: "1.6", source: "ECB" },
			],
			totalMicro: "2800000",
			sides: [
				{ key: "owned", micro: "2000000" },
				{ key: "cloud", micro: "800000" },
			],
			lines: [
				{ key: "idle", micro: "2000000" },
				{ key: "spot", micro: "800000" },
			],
			byTeam: [
				{ key: "", micro: "2000000" },
				{ key: "nlp", micro: "800000" },
			],
			byProject: [{ key: "p", micro: "2800000" }],
		});
		expect(statementInCurrency(rows, converter(), "nlp")).toMatchObject({ totalMicro: "800000", byTeam: [] });
	});

	it("adds up in every breakdown, and teams add up to the company", () => {
		const anyRow = fc.record({
			day: fc.integer({ min: 1, max: 31 }).map((n) => `2026-10-${String(n).padStart(2, "0")}`),
			team: fc.constantFrom("", "nlp", "risk"),
			project: fc.constantFrom("", "a", "b"),
			capacityType: fc.constantFrom("owned" as const, "spot" as const, "on_demand" as const),
			kind: fc.constantFrom("compute" as const, "egress" as const, "adjustment" as const),
			idle: fc.boolean(),
			effectiveMicroUsd: fc.bigInt({ min: -(10n ** 9n), max: 10n ** 12n }),
		});
		const sum = (list: readonly { micro: string }[]) => list.reduce((total, { micro }) => total + BigInt(micro), 0n).toString();
		fc.assert(
			fc.property(fc.array(anyRow, { maxLength: 60 }), (rows) => {
				const company = statementInCurrency(rows, converter(), "");
				for (const list of [company.sides, company.lines, company.byTeam, company.byProject]) expect(sum(list)).toBe(company.totalMicro);
				for (const { key, micro } of company.byTeam)
					if (key !== "") expect(statementInCurrency(rows, converter(), key).totalMicro).toBe(micro);
			}),
			{ numRuns: cases(30, 500) },
		);
	});
});
