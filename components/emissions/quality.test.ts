import { describe, expect, it } from "vitest";
import { energyQuality } from "./quality.ts";

const parts = (measuredEnergyMilliWh: bigint, hourlyGridMilliWh: bigint) => ({
	energyMilliWh: 1_000n,
	measuredEnergyMilliWh,
	hourlyGridMilliWh,
});

describe("data quality of an operational figure", () => {
	it("shows measured or estimated and hourly or average, with the share if mixed", () => {
		expect(energyQuality(parts(0n, 0n))).toBe("estimated, average grid");
		expect(energyQuality(parts(1_000n, 1_000n))).toBe("measured, hourly grid");
		expect(energyQuality(parts(600n, 250n))).toBe("60% measured, 25% hourly grid");
		expect(energyQuality({ ...parts(0n, 0n), energyMilliWh: 0n })).toBe("estimated, average grid");
	});
});
