import { describe, expect, it } from "vitest";
import { deriveOwnedRate, ownedRate, ownedRateCard } from "./owned.ts";

describe("the rate card of owned hardware", () => {
	it("depreciates an H100 by $1.084474: ($30,000 + $8,000) / 35,040 h", () => {
		expect(ownedRate("H100-80GB")?.parts.depreciation).toBe(1_084_474n);
	});

	it("powers it for $0.132925: 0.94 kW × 1.58 × $0.0895", () => {
		expect(ownedRate("H100-80GB")?.parts.power).toBe(132_925n);
	});

	it("staffs it for $0.080265: $180,000 / 256 / 8,760 h", () => {
		expect(ownedRate("H100-80GB")?.parts.staff).toBe(80_265n);
	});

	it("adds up to the micro-dollar and is below the clouds' on-demand price", () => {
		const rate = ownedRate("H100-80GB");
		expect(rate?.microUsdPerGpuHour).toBe(1_084_474n + 132_925n + 80_265n);
		expect(rate?.microUsdPerGpuHour).toBeLessThan(6_880_000n);
	});

	it("lists each setting with its value, whether it is assumed, and its source", () => {
		const settings = ownedRate("A100-80GB")?.settings ?? [];
		expect(settings.map((s) => s.name)).toContain("gpuPriceUsd");
		expect(
			settings
				.filter((s) => s.basis === "assumed")
				.map((s) => s.name)
				.sort(),
		).toEqual(["gpusPerStaff", "hostPriceUsdPerGpu", "hostWattsPerGpu", "staffUsdPerYear"]);
		for (const setting of settings) expect(setting.source).not.toBe("");
	});

	it("has no rate for a model without a purchase price, and uses a site's own values", () => {
		expect(ownedRate("T4-16GB")).toBeNull();
		const card = ownedRateCard();
		const dear = {
			...card,
			settings: { ...card.settings, electricityUsdPerKwh: { value: "0.179", basis: "sourced" as const, source: "bill" } },
		};
		expect(deriveOwnedRate(dear, "H100-80GB")?.parts.power).toBe(265_850n);
	});
});
