import { expect, it } from "vitest";
import { listDiskRates } from "./disks.ts";
import { offerRegions } from "./offers.ts";

it("have each disk of a region once, at a plausible price, in known regions", () => {
	for (const provider of ["aws", "azure", "gcp"] as const) {
		const rates = listDiskRates(provider);
		expect(rates.length).toBeGreaterThan(0);
		expect(new Set(rates.map(({ region, type }) => `${region}/${type}`)).size).toBe(rates.length);
		for (const { tierGib, microUsdPerMonth } of rates) {
			const perGib = Number(microUsdPerMonth) / (tierGib ?? 1);
			expect(perGib).toBeGreaterThan(20_000);
			expect(perGib).toBeLessThan(1_000_000);
		}
		expect(rates.some(({ region }) => offerRegions(provider).includes(region))).toBe(true);
	}
});
