import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY_MS } from "#server/kernel/units.ts";
import { nextBucketStartMs } from "./calendar.ts";
import { forecastByDay, forecastSpend } from "./forecast.ts";
import { calendarOf } from "./zone.ts";

/** 2026-11-16 is a Monday. */
const MONDAY = Date.UTC(2026, 10, 16);
const END = Date.UTC(2026, 11, 1);
const daysBefore = (nowMs: number, values: readonly bigint[]) =>
	values.map((microUsd, i) => ({ dayStartMs: nowMs - (values.length - i) * DAY_MS, microUsd }));

describe("forecastSpend", () => {
	it("is null with fewer than seven days", () => {
		expect(
			forecastSpend({ spentSoFarMicroUsd: 5n, history: daysBefore(MONDAY, Array(6).fill(10n)), nowMs: MONDAY, periodEndMs: END }),
		).toBeNull();
	});

	it("7 equal days of 100, 15 days left: 1,000 + 15 × 100 = 2,500, without a spread", () => {
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

	it("counts only the rest of today: at 18:00 a quarter of 100", () => {
		const nowMs = END - DAY_MS / 4;
		const history = daysBefore(END - DAY_MS, Array(7).fill(100n));
		expect(forecastSpend({ spentSoFarMicroUsd: 70n, history, nowMs, periodEndMs: END })?.expectedMicroUsd).toBe(95n);
	});

	it("7 days 0, 200, 0, 200, 0, 200, 100: mean 100, variance 60,000 / 6 = 10,000; 4 days left: 400 ± 1.2816 × 100 × √4 = 256", () => {
		const nowMs = END - 4 * DAY_MS;
		const history = daysBefore(nowMs, [0n, 200n, 0n, 200n, 0n, 200n, 100n]);
		const forecast = forecastSpend({ spentSoFarMicroUsd: 0n, history, nowMs, periodEndMs: END });
		expect(forecast).toEqual({ lowMicroUsd: 144n, expectedMicroUsd: 400n, highMicroUsd: 656n, samples: 7 });
	});

	it("low <= expected <= high, never below what is already spent, and exact at the end of the period", () => {
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

describe("forecastByDay", () => {
	it("matches the forecast to the end of each day, the last one being the period's", () => {
		const nowMs = END - 5 * DAY_MS - 7_200_000;
		const history = daysBefore(Math.floor(nowMs / DAY_MS) * DAY_MS, [0n, 200n, 0n, 200n, 0n, 200n, 100n]);
		const input = { spentSoFarMicroUsd: 9n, history, nowMs, periodEndMs: END };
		const days = forecastByDay(input) ?? [];
		expect(days.map((d) => d.atMs)).toEqual([5, 4, 3, 2, 1, 0].map((n) => END - n * DAY_MS));
		for (const { atMs, ...day } of days) expect(day).toEqual(forecastSpend({ ...input, periodEndMs: atMs }));
	});

	it("treats Berlin's day of 25 hours as one day: 7 days of 100, then 100 more at each midnight", () => {
		const calendar = calendarOf("Europe/Berlin");
		// Midnight in Berlin on 24 October 2026; clocks go back on the 25th.
		const nowMs = Date.UTC(2026, 9, 23, 22);
		const periodEndMs = nextBucketStartMs("month", nowMs, calendar);
		const history = daysBefore(nowMs, Array(7).fill(100n));
		const days = forecastByDay({ spentSoFarMicroUsd: 0n, history, nowMs, periodEndMs, calendar }) ?? [];
		expect(days.map((d) => d.expectedMicroUsd)).toEqual([100n, 200n, 300n, 400n, 500n, 600n, 700n, 800n]);
		expect(days.slice(0, 2).map((d) => new Date(d.atMs).toISOString())).toEqual(["2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z"]);
	});
});
