import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { footprintOfElapsed, type PowerFacts } from "./carbon.ts";

const busy: PowerFacts = { wattsPerGpu: 400, pue: 1.135, gramsPerKwh: 380.5, load: "busy" };

describe("footprintOfElapsed", () => {
	it("A100 400 W × 2.5 h × PUE 1.135 = 1,135 Wh; × 380.5 g/kWh = 431.867 g", () => {
		expect(footprintOfElapsed(busy, 2.5 * HOUR_MS)).toEqual({ energyMilliWh: 1_135_000n, emissionsMilligrams: 431_867n });
	});

	it("idle draws 0.114 of it: 129.39 Wh, 49.232 g", () => {
		expect(footprintOfElapsed({ ...busy, load: "idle" }, 2.5 * HOUR_MS)).toEqual({ energyMilliWh: 129_390n, emissionsMilligrams: 49_232n });
	});

	it("says that emissions are not known, rather than 0, without an intensity or without the model's power", () => {
		expect(footprintOfElapsed({ ...busy, gramsPerKwh: null }, HOUR_MS)).toEqual({ energyMilliWh: 454_000n, emissionsMilligrams: null });
		expect(footprintOfElapsed({ ...busy, wattsPerGpu: null }, HOUR_MS)).toEqual({ energyMilliWh: 0n, emissionsMilligrams: null });
	});

	it("never falls as time passes, and is within a milliwatt-hour and a milligram (plus one mWh's worth) of the exact product", () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: 1_500 }),
				fc.integer({ min: 1_000, max: 2_000 }),
				fc.integer({ min: 1, max: 900_000 }),
				fc.integer({ min: 0, max: 2_000 * HOUR_MS }),
				fc.integer({ min: 0, max: HOUR_MS }),
				(watts, puePermille, milligramsPerKwh, elapsedMs, moreMs) => {
					const power: PowerFacts = { wattsPerGpu: watts, pue: puePermille / 1_000, gramsPerKwh: milligramsPerKwh / 1_000, load: "busy" };
					const now = footprintOfElapsed(power, elapsedMs);
					const later = footprintOfElapsed(power, elapsedMs + moreMs);
					expect(later.energyMilliWh >= now.energyMilliWh && (later.emissionsMilligrams ?? -1n) >= (now.emissionsMilligrams ?? 0n)).toBe(
						true,
					);
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
