import { describe, expect, it } from "vitest";
import { energyQuality } from "./quality.ts";

const parts = (measuredEnergyMilliWh: bigint, hourlyGridMilliWh: bigint) => ({
	energyMilliWh: 1_000n,
	measuredEnergyMilliWh,
	hourlyGridMilliWh,
});

describe("what stands behind an operational figure", () => {
	it("says measured or estimated and hourly or average, and the share where it is both", () => {
		expect(energyQuality(parts(0n, 0n))).toBe("estimated, average grid");
		expect(energyQuality(parts(1_000n, 1_000n))).toBe("measured, hourly grid");
		expect(energyQuality(parts(600n, 250n))).toBe("60% measured, 25% hourly grid");
		expect(energyQuality({ ...parts(0n, 0n), energyMilliWh: 0n })).toBe("estimated, average grid");
	});
});
