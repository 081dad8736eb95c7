import { expect, it } from "vitest";
import type { Sku } from "./catalogue.ts";
import { usdPerGibMonth } from "./disk-rate.ts";

function sku(description: string, nanos: number[], changes: { region?: string; usageUnit?: string; usageType?: string } = {}): Sku {
	const { region = "us-central1", usageUnit = "GiBy.mo", usageType = "OnDemand" } = changes;
	const tieredRates = nanos.map((n, i) => ({ startUsageAmount: i * 30, unitPrice: { currencyCode: "USD", units: "0", nanos: n } }));
	return {
		...{
			skuId: description,
			description,
			category: { resourceFamily: "Storage", resourceGroup: "SSD", usageType },
			serviceRegions: [region],
		},
		pricingInfo: [{ pricingExpression: { usageUnit, tieredRates } }],
	};
}

it("uses the disk's own space, whatever region its description names: no regional disk, no snapshot, no other unit", () => {
	const skus = [
		sku("Regional Balanced PD Capacity", [200_000_000]),
		sku("Balanced PD Capacity in Japan", [130_000_000], { region: "asia-northeast1" }),
		sku("Balanced PD Capacity", [1], { usageUnit: "h" }),
		sku("Balanced PD Capacity", [100_000_000]),
		sku("SSD backed PD Capacity", [170_000_000]),
	];
	expect(usdPerGibMonth(skus, "us-central1", "pd-balanced")).toBe("0.100000000");
	expect(usdPerGibMonth(skus, "asia-northeast1", "pd-balanced")).toBe("0.130000000");
	expect(usdPerGibMonth(skus, "us-central1", "pd-ssd")).toBe("0.170000000");
	expect(usdPerGibMonth(skus, "us-central1", "pd-standard")).toBeNull();
	expect(usdPerGibMonth(skus, "us-central1", "hyperdisk-balanced")).toBeNull();
});

it("skips the free first GiBs, and rejects two different prices", () => {
	expect(usdPerGibMonth([sku("Storage PD Capacity", [0, 40_000_000])], "us-central1", "pd-standard")).toBe("0.040000000");
	const two = [sku("Balanced PD Capacity", [100_000_000]), sku("Balanced PD Capacity in Iowa", [110_000_000])];
	expect(() => usdPerGibMonth(two, "us-central1", "pd-balanced")).toThrow(/has 2 prices/);
});
