import { describe, expect, it } from "vitest";
import { usdPerGib } from "./convert/egress.ts";
import { BYTES_PER_GIB, egressCostMicroUsd, egressMicroUsdPerGiB, egressStepsAfter, internetEgress } from "./egress.ts";

const TIB = 1024n * BYTES_PER_GIB;

describe("egress", () => {
	const rate = internetEgress("aws", "us-east-2");

	it("has AWS's four tiers", () => {
		expect(rate.tiers.map((tier) => [tier.fromGiB, tier.toGiB, tier.microUsdPerGiB])).toEqual([
			[0, 10_240, 90_000n],
			[10_240, 51_200, 85_000n],
			[51_200, 153_600, 70_000n],
			[153_600, null, 50_000n],
		]);
	});

	it("bills 12 TiB as 10 TiB × $0.09 + 2 TiB × $0.085 = $1,095.68", () => {
		expect(egressCostMicroUsd(rate, 12n * TIB)).toBe(1_095_680_000n);
	});

	it("continues in the month's tier: the 11th TiB costs $87.04", () => {
		expect(egressCostMicroUsd(rate, TIB, 10n * TIB)).toBe(87_040_000n);
	});

	it("has 1 GiB of the first tier left after 10,239 GiB, and none after 10,240", () => {
		const [second, ...others] = [
			{ gib: 40_960, microUsdPerGiB: 85_000 },
			{ gib: 102_400, microUsdPerGiB: 70_000 },
			{ gib: null, microUsdPerGiB: 50_000 },
		];
		expect(egressStepsAfter(rate, 10_239n * BYTES_PER_GIB)).toEqual([{ gib: 1, microUsdPerGiB: 90_000 }, second, ...others]);
		expect(egressStepsAfter(rate, 10n * TIB)).toEqual([second, ...others]);
		expect(egressStepsAfter(rate, 1_000n * TIB)).toEqual(others.slice(-1));
	});

	it("rounds up once, and zero bytes cost nothing", () => {
		expect(egressCostMicroUsd(rate, 1n)).toBe(1n);
		expect(egressCostMicroUsd(rate, 0n)).toBe(0n);
	});

	it("reports when a region has no row", () => {
		expect(rate.exact).toBe(true);
		expect(internetEgress("aws", "ap-southeast-3")).toMatchObject({ exact: false, listedRegion: "us-east-2" });
		expect(internetEgress("gcp", "us-central1").exact).toBe(true);
	});

	it("computes holds with the most expensive tier", () => {
		expect(egressMicroUsdPerGiB("aws", "eu-west-1")).toBe(90_000n);
		expect(egressMicroUsdPerGiB("aws", "sa-east-1")).toBe(150_000n);
	});

	it("computes holds in a region without a row with the most expensive listed region", () => {
		expect(egressMicroUsdPerGiB("aws", "ap-southeast-3")).toBe(154_000n);
		expect(egressMicroUsdPerGiB("azure", "brazilsouth")).toBe(87_500n);
	});

	it("has AWS's tiers by region: 60 TiB out of Cape Town are 10 × $0.154 + 40 × $0.147 + 10 × $0.126 a GiB", () => {
		const capeTown = internetEgress("aws", "af-south-1");
		expect(egressCostMicroUsd(capeTown, 60n * TIB)).toBe(1024n * (10n * 154_000n + 40n * 147_000n + 10n * 126_000n));
	});

	it("converts a price per 10^9 bytes upwards when a source is declared to use that", () => {
		expect(usdPerGib("0.09")).toBe("0.09");
		expect(usdPerGib("0.09", 1_000_000_000n)).toBe("0.096637");
	});
});
