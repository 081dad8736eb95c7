import { describe, expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { softwareCarbonIntensity } from "./carbon-intensity.ts";

const hours = (n: number) => BigInt(n * HOUR_MS);

describe("software carbon intensity", () => {
	it("(8.4 kg operational + 0.9 kg embodied) / 48 GPU-hours = 193.75 g per GPU-hour, 9.3 kg for the job", () => {
		expect(softwareCarbonIntensity({ emissionsMilligrams: 8_400_000n, embodiedMilligrams: 900_000n, gpuMs: hours(48) })).toEqual({
			milligramsPerGpuHour: 193_750n,
			milligramsPerJob: 9_300_000n,
		});
	});

	it("is unknown when the operational or embodied part is, and has no rate without a GPU-hour", () => {
		const unknown = { milligramsPerGpuHour: null, milligramsPerJob: null };
		expect(softwareCarbonIntensity({ emissionsMilligrams: null, embodiedMilligrams: 1n, gpuMs: hours(1) })).toEqual(unknown);
		expect(softwareCarbonIntensity({ emissionsMilligrams: 1n, embodiedMilligrams: null, gpuMs: hours(1) })).toEqual(unknown);
		expect(softwareCarbonIntensity({ emissionsMilligrams: 3n, embodiedMilligrams: 4n, gpuMs: 0n })).toEqual({
			milligramsPerGpuHour: null,
			milligramsPerJob: 7n,
		});
	});
});
