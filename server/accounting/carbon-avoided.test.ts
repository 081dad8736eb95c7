import { describe, expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { addAvoided, avoidedAgainst, NOTHING_AVOIDED } from "./carbon-avoided.ts";

const actual = { gpuMs: BigInt(10 * HOUR_MS), milligrams: 1_000_000n };

describe("avoided emissions", () => {
	it("10 GPU-hours at home: 640 W × PUE 1.58 × 10 h = 10.112 kWh × 370.93 g/kWh = 3,750.844 g; 1,000 g were emitted, so 2,750.844 g avoided", () => {
		expect(avoidedAgainst({ wattsPerGpu: 640, pue: 1.58, gramsPerKwh: 370.93 }, actual)).toEqual({
			gpuMs: actual.gpuMs,
			actualMilligrams: 1_000_000n,
			counterfactualMilligrams: 3_750_844n,
			avoidedMilligrams: 2_750_844n,
		});
	});

	it("a cleaner home makes it negative: 150 W × 1 × 10 h × 20 g/kWh = 30 g, and 970 g more were emitted", () => {
		expect(avoidedAgainst({ wattsPerGpu: 150, pue: 1, gramsPerKwh: 20 }, actual)?.avoidedMilligrams).toBe(-970_000n);
	});

	it("is null without the place's power or grid", () => {
		expect(avoidedAgainst({ wattsPerGpu: null, pue: 1, gramsPerKwh: 20 }, actual)).toBeNull();
		expect(avoidedAgainst({ wattsPerGpu: 1, pue: 1, gramsPerKwh: null }, actual)).toBeNull();
	});

	it("adds up", () => {
		const one = avoidedAgainst({ wattsPerGpu: 150, pue: 1, gramsPerKwh: 20 }, actual) ?? NOTHING_AVOIDED;
		expect(addAvoided(addAvoided(NOTHING_AVOIDED, one), one).avoidedMilligrams).toBe(-1_940_000n);
	});
});
