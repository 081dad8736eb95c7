import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { footprintOfGpus, footprintOfInterval, type PowerFacts, powerOf } from "./carbon.ts";

/** 2026-11-10T10:00:00Z, a whole hour. */
const T0 = Date.UTC(2026, 10, 10, 10);
const MINUTE = 60_000;
const busy: PowerFacts = { wattsPerGpu: 400, pue: 1.135, gramsPerKwh: 380.5, load: "busy" };
const hour = (facts: PowerFacts) => footprintOfInterval(facts, T0, T0 + HOUR_MS);

describe("footprintOfInterval", () => {
	it("A100 400 W × 1 h × PUE 1.135 = 454 Wh; × 380.5 g/kWh = 172.747 g, estimated and at the yearly average", () => {
		expect(hour(busy)).toEqual({
			energyMilliWh: 454_000n,
			measuredEnergyMilliWh: 0n,
			hourlyGridMilliWh: 0n,
			emissionsMilligrams: 172_747n,
			marketEmissionsMilligrams: null,
			embodiedMilligrams: null,
		});
	});

	it("idle draws 0.114 of it: 51.756 Wh, 19.693158 g → 19,693 mg", () => {
		expect(hour({ ...busy, load: "idle" })).toMatchObject({ energyMilliWh: 51_756n, emissionsMilligrams: 19_693n });
	});

	it("idle at a stated 60 W × PUE 1.135 = 68.1 Wh", () => {
		expect(hour({ ...busy, load: "idle", idleWattsPerGpu: 60 }).energyMilliWh).toBe(68_100n);
	});

	it("25% busy between 46 W and 400 W is 46 + 0.25 × 354 = 134.5 W; × PUE 1.135 = 152.6575 Wh → 152,657 mWh", () => {
		const facts = { ...busy, idleWattsPerGpu: 46, utilisationPermille: 250 };
		expect(powerOf(facts, T0)).toEqual({ nanowatts: 134_500_000_000n, measured: false });
		expect(hour(facts).energyMilliWh).toBe(152_657n);
	});

	it("assumes full power without measured utilization, the same as 1000 permille", () => {
		expect(hour(busy)).toEqual(hour({ ...busy, utilisationPermille: 1_000 }));
	});

	/** Measured from the minute after `fromMinute` on, because the curve is shifted by two minutes. */
	const measured = (watts: number | null, permille: number, [from, to]: [number, number]) =>
		new Map(
			Array.from({ length: to - from }, (_, i) => [T0 + (from + i - 2) * MINUTE, { wattsPerGpu: watts, utilisationPermille: permille }]),
		);

	it("measured power takes precedence over the estimate: 60 minutes at 310.5 W × 1.135 = 352.4175 Wh, all of it measured", () => {
		const facts = { ...busy, measured: measured(310.5, 900, [0, 60]) };
		expect(hour(facts)).toMatchObject({ energyMilliWh: 352_417n, measuredEnergyMilliWh: 352_417n });
		expect(footprintOfInterval(facts, T0 + HOUR_MS, T0 + 2 * HOUR_MS)).toMatchObject({
			energyMilliWh: 454_000n,
			measuredEnergyMilliWh: 0n,
		});
	});

	it("30 minutes measured at 200 W and 30 estimated at 400 W: (100 + 200) Wh × 1.135 = 340.5 Wh, with 113.5 measured", () => {
		const facts = { ...busy, measured: measured(200, 500, [10, 40]) };
		expect(hour(facts)).toMatchObject({ energyMilliWh: 340_500n, measuredEnergyMilliWh: 113_500n });
	});

	it("estimates power from use when a driver reports only use: 25% busy between 46 W and 400 W is 134.5 W", () => {
		const facts = { ...busy, idleWattsPerGpu: 46, measured: measured(null, 250, [0, 60]) };
		expect(hour(facts)).toMatchObject({ energyMilliWh: 152_657n, measuredEnergyMilliWh: 0n });
	});

	it("parts of an hour add up to the hour, even when split within a minute, whatever was measured", () => {
		const facts = { ...busy, measured: new Map([...measured(333.333, 1_000, [3, 17]), ...measured(77.7, 10, [25, 52])]) };
		const cuts = [0, 7_001, 200_000, 1_234_567, 1_500_500, 3_599_999, HOUR_MS];
		const parts = cuts.slice(1).map((to, i) => footprintOfInterval(facts, T0 + (cuts[i] ?? 0), T0 + to));
		for (const key of ["energyMilliWh", "measuredEnergyMilliWh"] as const)
			expect(parts.reduce((sum, part) => sum + part[key], 0n)).toBe(hour(facts)[key]);
	});

	it("the hourly intensity takes precedence over the average: 454 Wh × 120.25 g/kWh = 54.5935 g, hourly", () => {
		const facts = { ...busy, hourlyMilligramsPerKwh: new Map([[T0, 120_250]]) };
		expect(hour(facts)).toMatchObject({ emissionsMilligrams: 54_593n, hourlyGridMilliWh: 454_000n });
		expect(footprintOfInterval(facts, T0 + HOUR_MS, T0 + 2 * HOUR_MS)).toMatchObject({
			emissionsMilligrams: 172_747n,
			hourlyGridMilliWh: 0n,
		});
		expect(hour({ ...facts, gramsPerKwh: null })).toMatchObject({ emissionsMilligrams: 54_593n });
	});

	it("market-based by the contract: 454 Wh × 25 g/kWh = 11.35 g next to 172.747 g of the grid; 0 g/kWh is 0, not unknown", () => {
		expect(hour({ ...busy, contractGramsPerKwh: 25 })).toMatchObject({ marketEmissionsMilligrams: 11_350n, emissionsMilligrams: 172_747n });
		expect(hour({ ...busy, contractGramsPerKwh: 0 }).marketEmissionsMilligrams).toBe(0n);
	});

	it("manufacturing by time: 18.667 g per GPU-hour × 8 GPUs × 15 min = 37.334 g, rounded down per GPU: 8 × 4,666 mg", () => {
		const facts = { ...busy, embodiedGramsPerGpuHour: 18.667 };
		expect(footprintOfGpus(facts, 8, { fromMs: T0, toMs: T0 + 15 * MINUTE }).embodiedMilligrams).toBe(8n * 4_666n);
	});

	it("reports unknown emissions, not 0, without an intensity or the model's power", () => {
		expect(hour({ ...busy, gramsPerKwh: null })).toMatchObject({ energyMilliWh: 454_000n, emissionsMilligrams: null });
		expect(hour({ ...busy, wattsPerGpu: null, contractGramsPerKwh: 25, embodiedGramsPerGpuHour: 2 })).toEqual({
			energyMilliWh: 0n,
			measuredEnergyMilliWh: 0n,
			hourlyGridMilliWh: 0n,
			emissionsMilligrams: null,
			marketEmissionsMilligrams: null,
			embodiedMilligrams: 2_000n,
		});
	});

	it("rejects a piece that leaves its UTC hour", () => {
		expect(() => footprintOfInterval(busy, T0 + 1, T0 + HOUR_MS + 1)).toThrow(/within one UTC hour/);
	});

	const facts = fc.record({
		wattsPerGpu: fc.option(fc.integer({ min: 1, max: 1_500 })),
		idleWattsPerGpu: fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
		utilisationPermille: fc.option(fc.integer({ min: 0, max: 1_000 }), { nil: undefined }),
		pue: fc.option(fc.integer({ min: 1_000, max: 2_000 }).map((permille) => permille / 1_000)),
		gramsPerKwh: fc.option(fc.integer({ min: 1, max: 900_000 }).map((milligrams) => milligrams / 1_000)),
		hourlyMilligramsPerKwh: fc.option(
			fc.integer({ min: 1, max: 900_000 }).map((mg): ReadonlyMap<number, number> => new Map([[T0, mg]])),
			{
				nil: undefined,
			},
		),
		contractGramsPerKwh: fc.option(fc.integer({ min: 0, max: 500 })),
		embodiedGramsPerGpuHour: fc.option(fc.integer({ min: 0, max: 90_000 }).map((milligrams) => milligrams / 1_000)),
		load: fc.constantFrom("busy" as const, "idle" as const),
	});

	it("the parts of an hour add up to the hour exactly, and none is negative, for any split", () => {
		fc.assert(
			fc.property(facts, fc.array(fc.integer({ min: 0, max: HOUR_MS - 1 }), { maxLength: 6 }), (power, cuts) => {
				const points = [0, ...cuts, HOUR_MS].sort((a, b) => a - b);
				const parts = points.slice(1).map((to, i) => footprintOfInterval(power, T0 + (points[i] ?? 0), T0 + to));
				const whole = footprintOfInterval(power, T0, T0 + HOUR_MS);
				for (const field of [
					...(["energyMilliWh", "measuredEnergyMilliWh", "hourlyGridMilliWh"] as const),
					...(["emissionsMilligrams", "marketEmissionsMilligrams", "embodiedMilligrams"] as const),
				]) {
					const values = parts.map((part) => part[field]);
					if (whole[field] === null) expect(values.every((value) => value === null)).toBe(true);
					else expect(values.reduce<bigint>((sum, value) => sum + (value ?? -1_000_000_000n), 0n)).toBe(whole[field]);
					expect(values.every((value) => value === null || value >= 0n)).toBe(true);
				}
			}),
		);
	});

	it("an hour is within a milliwatt-hour and a milligram (plus one mWh's worth) of the exact product", () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: 1_500 }),
				fc.integer({ min: 1_000, max: 2_000 }),
				fc.integer({ min: 1, max: 900_000 }),
				fc.integer({ min: 0, max: HOUR_MS }),
				(watts, puePermille, milligramsPerKwh, elapsedMs) => {
					const power: PowerFacts = { wattsPerGpu: watts, pue: puePermille / 1_000, gramsPerKwh: milligramsPerKwh / 1_000, load: "busy" };
					const now = footprintOfInterval(power, T0, T0 + elapsedMs);
					const exactMilliWh = (watts * elapsedMs * puePermille) / 3_600_000;
					expect(Math.abs(Number(now.energyMilliWh) - exactMilliWh)).toBeLessThanOrEqual(1 + exactMilliWh * 1e-12);
					const exactMilligrams = (exactMilliWh * milligramsPerKwh) / 1e6;
					expect(Math.abs(Number(now.emissionsMilligrams) - exactMilligrams)).toBeLessThanOrEqual(
						1 + milligramsPerKwh / 1e6 + exactMilligrams * 1e-12,
					);
				},
			),
		);
	});
});
