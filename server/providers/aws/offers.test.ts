import { describe, expect, it } from "vitest";
import { DAY_MS } from "#server/kernel/units.ts";
import { listOffers } from "#server/rates/offers.ts";
import type { SnapshotRate } from "../snapshot-rate.ts";
import { offersOf, type RegionFacts, readSpotPrice } from "./offers.ts";

const NOW_MS = Date.parse("2026-11-01T00:00:00Z");

const rate = (changes: Partial<SnapshotRate> = {}): SnapshotRate => ({
	instanceType: "g5.xlarge",
	region: "us-east-1",
	zone: null,
	accelerator: "A10G-24GB",
	gpus: 1,
	vcpus: 4,
	memoryGiB: 16,
	onDemand: { microUsdPerHour: 1_006_000n, asOf: "2026-07-20", source: "a list" },
	spot: { microUsdPerHour: 400_000n },
	...changes,
});

function offers(changes: Partial<RegionFacts> = {}, spotPrice = "0.4") {
	return offersOf({
		siteId: "aws",
		region: "us-east-1",
		rates: [rate()],
		offerings: [{ InstanceType: "g5.xlarge", Location: "us-east-1b" }],
		spotPrices: [{ InstanceType: "g5.xlarge", AvailabilityZone: "us-east-1b", SpotPrice: spotPrice, Timestamp: new Date(NOW_MS - DAY_MS) }],
		nowMs: NOW_MS,
		listPriceMaxAgeDays: 730,
		...changes,
	});
}

describe("offersOf", () => {
	it("contains the list price on demand and the zone's price as spot", () => {
		expect(offers().map((o) => [o.id, o.microUsdPerHour, o.onDemandMicroUsdPerHour])).toEqual([
			["aws:us-east-1:*:g5.xlarge:on_demand", 1_006_000n, 1_006_000n],
			["aws:us-east-1:us-east-1b:g5.xlarge:spot", 400_000n, 1_006_000n],
		]);
	});

	it("has no spot offer if it costs as much as on-demand, and none in a zone without a price", () => {
		expect(offers({}, "1.006").map((o) => o.capacityType)).toEqual(["on_demand"]);
		expect(offers({ spotPrices: [] }).map((o) => o.capacityType)).toEqual(["on_demand"]);
	});

	it("uses the latest of several prices", () => {
		const price = (SpotPrice: string, atMs: number) => ({
			InstanceType: "g5.xlarge",
			AvailabilityZone: "us-east-1b",
			SpotPrice,
			Timestamp: new Date(atMs),
		});
		const spotPrices = [price("0.3", NOW_MS - 2), price("0.35", NOW_MS - 1), price("0.31", NOW_MS - 3)];
		expect(offers({ spotPrices })[1]?.microUsdPerHour).toBe(350_000n);
	});

	it("contains a type without a list price, unpriced", () => {
		const seen = offers({ rates: [rate({ region: "eu-west-1" })] });
		expect(seen[0]).toMatchObject({ capacityType: "on_demand", microUsdPerHour: null, priceSource: "no list price in us-east-1" });
	});

	it("omits types that are not sold in the region or not in the catalog", () => {
		expect(offers({ offerings: [] })).toEqual([]);
		expect(offers({ offerings: [{ InstanceType: "t3.micro", Location: "us-east-1b" }] })).toEqual([]);
	});

	it("dates a stale list price by its own day", () => {
		expect(offers()[0]?.priceObservedAtMs).toBe(NOW_MS);
		expect(offers({ listPriceMaxAgeDays: 30 })[0]?.priceObservedAtMs).toBe(Date.parse("2026-07-20"));
	});

	it("takes the rows of the shipped snapshot", () => {
		const rates = listOffers("aws");
		const [first] = rates;
		const seen = offers({
			rates,
			region: first?.region ?? "",
			offerings: [{ InstanceType: first?.instanceType ?? "", Location: `${first?.region}a` }],
		});
		expect(seen[0]?.microUsdPerHour).toBe(first?.onDemand.microUsdPerHour);
	});
});

describe("readSpotPrice", () => {
	it.each([
		["0.400000", 400_000n],
		["0.04", 40_000n],
		["4", 4_000_000n],
	])("takes %s", (text, price) => {
		expect(readSpotPrice(text, [rate()])).toEqual({ price, refused: null });
	});

	it.each([
		["0.039999", /10 times below the snapshot's \(\$0\.4\)/],
		["4.000001", /10 times above/],
		["0", /above zero/],
		["-0.4", /above zero/],
		["0.4 USD", /not a dollar amount/],
	])("rejects %s with the reason", (text, why) => {
		const { price, refused } = readSpotPrice(text, [rate()]);
		expect(price).toBeNull();
		expect(refused).toMatch(why);
	});

	it("accepts any price above zero if the snapshot has none", () => {
		expect(readSpotPrice("40", [rate({ spot: null })]).price).toBe(40_000_000n);
	});
});
