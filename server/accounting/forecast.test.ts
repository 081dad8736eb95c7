import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY_MS } from "#server/kernel/units.ts";
import { forecastSpend } from "./forecast.ts";

/** 2026-11-16 is a Monday. */
const MONDAY = Date.UTC(2026, 10, 16);
const END = Date.UTC(2026, 11, 1);
const daysBefore = (nowMs: number, values: readonly bigint[]) =>
	values.map((microUsd, i) => ({ dayStartMs: nowMs - (values.length - i) * DAY_MS, microUsd }));

describe("forecastSpend", () => {
	it("says nothing with fewer than seven days", () => {
		expect(
			forecastSpend({ spentSoFarMicroUsd: 5n, history: daysBefore(MONDAY, Array(6).fill(10n)), nowMs: MONDAY, periodEndMs: END }),
		).toBeNull();
	});

	it("7 equal days of 100, 15 days to come: 1,000 + 15 × 100 = 2,500, without a spread", () => {
		const forecast = forecastSpend({
			spentSoFarMicroUsd: 1_000n,
			history: daysBefore(MONDAY, Array(7).fill(100n)),
			nowMs: MONDAY,
			periodEndMs: END,
		});
		expect(forecast).toEqual({ lowMicroUsd: 2_500n, expectedMicroUsd: 2_500n, highMicroUsd: 2_500n, samples: 7 });
	});

	it("14 days, 100 on weekdays and 10 at weekends: Monday to the end has 11 weekdays and 4 weekend days = 1,140", () => {
		const history = daysBefore(MONDAY, [100n, 100n, 100n, 100n, 100n, 10n, 10n, 100n, 100n, 100n, 100n, 100n, 10n, 10n]);
		expect(forecastSpend({ spentSoFarMicroUsd: 0n, history, nowMs: MONDAY, periodEndMs: END })?.expectedMicroUsd).toBe(1_140n);
	});

	it("counts of today only what is still to come: at 18:00 a quarter of 100", () => {
		const nowMs = END - DAY_MS / 4;
		const history = daysBefore(END - DAY_MS, Array(7).fill(100n));
		expect(forecastSpend({ spentSoFarMicroUsd: 70n, history, nowMs, periodEndMs: END })?.expectedMicroUsd).toBe(95n);
	});

	it("7 days 0, 200, 0, 200, 0, 200, 100: mean 100, variance 60,000 / 6 = 10,000; 4 days to come: 400 ± 1.2816 × 100 × √4 = 256", () => {
		const nowMs = END - 4 * DAY_MS;
		const history = daysBefore(nowMs, [0n, 200n, 0n, 200n, 0n, 200n, 100n]);
		const forecast = forecastSpend({ spentSoFarMicroUsd: 0n, history, nowMs, periodEndMs: END });
		expect(forecast).toEqual({ lowMicroUsd: 144n, expectedMicroUsd: 400n, highMicroUsd: 656n, samples: 7 });
	});

	it("low <= expected <= high, never below what is spent already, and exact at the period's end", () => {
		fc.assert(
			fc.property(
				fc.array(fc.bigInt(0n, 10n ** 12n), { minLength: 7, maxLength: 40 }),
				fc.bigInt(0n, 10n ** 13n),
				fc.integer({ min: 0, max: 30 * DAY_MS }),
				(values, spent, leftMs) => {
					const nowMs = END - leftMs;
					const f = forecastSpend({
						spentSoFarMicroUsd: spent,
						history: daysBefore(Math.floor(nowMs / DAY_MS) * DAY_MS, values),
						nowMs,
						periodEndMs: END,
					});
					expect(f !== null && spent <= f.lowMicroUsd && f.lowMicroUsd <= f.expectedMicroUsd && f.expectedMicroUsd <= f.highMicroUsd).toBe(
						true,
					);
					if (leftMs === 0) expect(f?.expectedMicroUsd).toBe(spent);
				},
			),
		);
	});
});
