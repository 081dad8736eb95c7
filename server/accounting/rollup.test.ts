import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SLICE_DIMENSIONS } from "#server/domain/charge.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { GRANULARITIES } from "./calendar.ts";
import { meterUsage } from "./meter-usage.ts";
import { jobMonthDeltas, NO_SUMS, type RollupSums, rollupDeltas, splitCharge } from "./rollup.ts";
import { sliceDeltas } from "./slice.ts";
import { aUsage, sumOf, T0 } from "./testing/build.ts";
import { calendarOf } from "./zone.ts";

const usages = fc.array(
	fc
		.record({
			after: fc.integer({ min: 0, max: 70 * DAY_MS }),
			lengthMs: fc.integer({ min: 1, max: 40 * HOUR_MS }),
			price: fc.bigInt(1n, 50_000_000n),
			team: fc.constantFrom("risk", "nlp"),
			known: fc.boolean(),
		})
		.map((v) => {
			const usage = aUsage({ startMs: T0 + v.after, endMs: T0 + v.after + v.lengthMs });
			return {
				...usage,
				prices: [{ fromMs: 0, microUsdPerHour: v.price, listMicroUsdPerHour: 2n * v.price }],
				dimensions: { ...usage.dimensions, team: v.team },
				power: v.known ? usage.power : { ...usage.power, gramsPerKwh: null },
			};
		}),
	{ maxLength: 8 },
);

describe("rollupDeltas", () => {
	it("add up to the charges, in each granularity and column, with one row for each key", () => {
		fc.assert(
			fc.property(usages, (list) => {
				const charges = list.flatMap((u) => meterUsage(u, null, T0 + 200 * DAY_MS).charges);
				const deltas = rollupDeltas(charges);
				for (const granularity of GRANULARITIES) {
					const rows = deltas.filter((d) => d.granularity === granularity);
					for (const field of [
						"gpuMs",
						"listMicroUsd",
						"contractedMicroUsd",
						"effectiveMicroUsd",
						"billedMicroUsd",
						"energyMilliWh",
						"emissionsMilligrams",
					] as const) {
						expect(sumOf(rows, (r) => r[field])).toBe(sumOf(charges, (c) => c[field]));
					}
					expect(rows.reduce((n, r) => n + r.charges, 0)).toBe(charges.length);
					expect(new Set(rows.map((r) => `${r.bucketStartMs}/${r.dimensions.team}`)).size).toBe(rows.length);
				}
			}),
		);
	});

	it("are in the same order whatever the order of the charges", () => {
		fc.assert(
			fc.property(usages, (list) => {
				const charges = list.flatMap((u) => meterUsage(u, null, T0 + 200 * DAY_MS).charges);
				expect(rollupDeltas(charges.toReversed())).toEqual(rollupDeltas(charges));
			}),
		);
	});

	it("a day of 2026-11-30T23:00Z to 2026-12-01T01:00Z is two hours, two days and two months", () => {
		const startMs = Date.UTC(2026, 10, 30, 23);
		const deltas = rollupDeltas(meterUsage(aUsage({ startMs, endMs: startMs + 2 * HOUR_MS }), null, startMs + DAY_MS).charges);
		expect(deltas.map((d) => [d.granularity, new Date(d.bucketStartMs).toISOString().slice(0, 13), d.effectiveMicroUsd])).toEqual([
			["day", "2026-11-30T00", 404_200n],
			["day", "2026-12-01T00", 404_200n],
			["hour", "2026-11-30T23", 404_200n],
			["hour", "2026-12-01T00", 404_200n],
			["month", "2026-11-01T00", 404_200n],
			["month", "2026-12-01T00", 404_200n],
		]);
	});
});

const FIELDS = (Object.keys(NO_SUMS) as (keyof RollupSums)[]).filter((name) => name !== "charges");

describe("sums of parts", () => {
	const zone = fc.constantFrom("UTC", "Europe/Berlin", "Asia/Kolkata").map(calendarOf);

	it("slices of each dimension, jobs' months and charges split at midnights add up to the charges, in every column", () => {
		fc.assert(
			fc.property(usages, zone, (list, calendar) => {
				const whole = list.flatMap((u) => meterUsage(u, null, T0 + 200 * DAY_MS).charges);
				const charges = whole.flatMap((c) => splitCharge(c, calendar));
				const deltas = rollupDeltas(charges, calendar);
				const days = deltas.filter((d) => d.granularity === "day");
				const months = jobMonthDeltas(charges, calendar);
				const slices = sliceDeltas(deltas);
				for (const field of FIELDS) {
					const sum = sumOf(days, (d) => BigInt(d[field]));
					if (!field.includes("illigrams") && !field.includes("Unknown"))
						expect(sumOf(whole, (c) => BigInt((c as unknown as RollupSums)[field]))).toBe(sum);
					expect(sumOf(months, (m) => BigInt(m[field]))).toBe(sum);
					for (const dimension of SLICE_DIMENSIONS) {
						for (const granularity of ["day", "month"] as const) {
							const rows = slices.filter((s) => s.dimension === dimension && s.granularity === granularity);
							expect(sumOf(rows, (r) => BigInt(r[field]))).toBe(sum);
						}
					}
				}
			}),
			{ numRuns: 40 },
		);
	});

	it("a charge of 18:20 to 19:00 at $1/h in Kolkata is 166,666 µ$ before midnight and 500,000 µ$ after it; a reversal, the same", () => {
		const startMs = Date.UTC(2026, 10, 30, 18, 20);
		const usage = aUsage({ startMs, endMs: startMs + 40 * 60_000 });
		const [charge] = meterUsage(
			{ ...usage, prices: [{ fromMs: 0, microUsdPerHour: 1_000_000n, listMicroUsdPerHour: 1_000_000n }] },
			null,
			startMs + DAY_MS,
		).charges;
		if (!charge) throw new Error("no charge");
		const pieces = splitCharge(charge, calendarOf("Asia/Kolkata"));
		expect(pieces.map((p) => [new Date(p.periodStartMs).toISOString().slice(11, 16), p.effectiveMicroUsd])).toEqual([
			["18:20", 166_666n],
			["18:30", 500_000n],
		]);
		expect(charge.effectiveMicroUsd).toBe(666_666n);
		const back = splitCharge({ ...charge, effectiveMicroUsd: -charge.effectiveMicroUsd }, calendarOf("Asia/Kolkata"));
		expect(back.map((p) => p.effectiveMicroUsd)).toEqual([-166_666n, -500_000n]);
		expect(splitCharge(charge)).toEqual([charge]);
	});
});
