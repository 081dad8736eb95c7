import { describe, expect, it } from "vitest";
import { DAY_MS } from "#server/kernel/units.ts";
import { listOffers } from "#server/rates/offers.ts";
import type { DatedRate } from "../snapshot-rate.ts";
import type { AzureSku } from "./client.ts";
import { offersOf, type RegionFacts } from "./offers.ts";

const NOW_MS = Date.parse("2026-11-01T00:00:00Z");
const price = (microUsdPerHour: bigint, asOf = "2026-10-20") => ({ microUsdPerHour, asOf, source: "a list" });

const rate = (changes: Partial<DatedRate> = {}): DatedRate => ({
	instanceType: "Standard_NC24ads_A100_v4",
	region: "eastus",
	zone: null,
	accelerator: "A100-80GB",
	gpus: 1,
	vcpus: 24,
	memoryGiB: 220,
	onDemand: price(3_673_000n),
	spot: price(1_500_000n),
	...changes,
});

const sku = (changes: Partial<AzureSku> = {}): AzureSku => ({
	resourceType: "virtualMachines",
	name: "Standard_NC24ads_A100_v4",
	locationInfo: [{ location: "EastUS", zones: ["1", "2"] }],
	capabilities: [{ name: "LowPriorityCapable", value: "True" }],
	restrictions: [],
	...changes,
});

const restriction = (type: string, zones: string[] = []) => ({
	type,
	reasonCode: "NotAvailableForSubscription",
	restrictionInfo: { locations: [], zones },
});

const facts = (changes: Partial<RegionFacts> = {}): RegionFacts => ({
	siteId: "azure",
	region: "eastus",
	rates: [rate()],
	sizes: [sku()],
	nowMs: NOW_MS,
	listPriceMaxAgeDays: 730,
	spotPriceMaxAgeDays: 180,
	...changes,
});

const kinds = (changes: Partial<RegionFacts>) =>
	offersOf(facts(changes)).map(({ capacityType, microUsdPerHour }) => [capacityType, microUsdPerHour]);

describe("what can be bought", () => {
	it("are each available size on demand and as spot, with both prices and their source", () => {
		expect(offersOf(facts())).toMatchObject([
			{
				id: "azure:eastus:*:Standard_NC24ads_A100_v4:on_demand",
				microUsdPerHour: 3_673_000n,
				priceObservedAtMs: NOW_MS,
				priceSource: "list price of 2026-10-20: a list",
			},
			{ capacityType: "spot", zone: null, microUsdPerHour: 1_500_000n, onDemandMicroUsdPerHour: 3_673_000n },
		]);
	});

	it.each<[string, Partial<RegionFacts>, unknown[]]>([
		["not what is closed to the subscription", { sizes: [sku({ restrictions: [restriction("Location")] })] }, []],
		["not what is closed in every zone", { sizes: [sku({ restrictions: [restriction("Zone", ["1", "2"])] })] }, []],
		[
			"what is open in one zone",
			{ sizes: [sku({ restrictions: [restriction("Zone", ["1"])] })] },
			[
				["on_demand", 3_673_000n],
				["spot", 1_500_000n],
			],
		],
		["not what is sold elsewhere", { sizes: [sku({ locationInfo: [{ location: "westus", zones: [] }] })] }, []],
		["not what has no accelerator that we know", { sizes: [sku({ name: "Standard_B1s" })] }, []],
		["on demand alone, where Azure sells no spot", { sizes: [sku({ capabilities: [] })] }, [["on_demand", 3_673_000n]]],
		["on demand alone, where spot is not below it", { rates: [rate({ spot: price(3_673_000n) })] }, [["on_demand", 3_673_000n]]],
		[
			"spot without a price, where none is known",
			{ rates: [rate({ spot: null })] },
			[
				["on_demand", 3_673_000n],
				["spot", null],
			],
		],
		[
			"both without a price, where the list has another region alone",
			{ rates: [rate({ region: "westus" })] },
			[
				["on_demand", null],
				["spot", null],
			],
		],
	])("is %s", (_what, changes, wanted) => {
		expect(kinds(changes)).toEqual(wanted);
	});

	it("has the age of its price if the list is stale, for spot sooner than for on-demand", () => {
		const old = "2026-04-01";
		const [onDemand, spot] = offersOf(facts({ rates: [rate({ onDemand: price(3_673_000n, old), spot: price(1_500_000n, old) })] }));
		expect(onDemand?.priceObservedAtMs).toBe(NOW_MS);
		expect(spot?.priceObservedAtMs).toBe(Date.parse(old));
		const [older] = offersOf(facts({ nowMs: NOW_MS + 731 * DAY_MS }));
		expect(older?.priceObservedAtMs).toBe(Date.parse("2026-10-20"));
	});

	it("can be computed from the shipped snapshot", () => {
		const offers = offersOf(facts({ rates: listOffers("azure") }));
		expect(offers.find(({ capacityType }) => capacityType === "on_demand")?.microUsdPerHour).toBeGreaterThan(0n);
	});
});

it("has the quota with the fewest free cores: its family or the whole region for on-demand, all spot for spot", () => {
	const quota = (key: string, limit: number, used: number) => ({ key: key.toLowerCase(), name: `${key} as people read it`, limit, used });
	const family = quota("standardNCADSA100v4Family", 96, 48);
	const sizes = [sku({ family: "standardNCADSA100v4Family" })];
	const quotasOf = (quotas: RegionFacts["quotas"] & object) => offersOf(facts({ sizes, quotas })).map((o) => o.quota ?? null);
	const quotaRow = { name: "standardNCADSA100v4Family as people read it", unit: "cores", limit: 96, used: 48 };
	expect(quotasOf([family, quota("cores", 1_000, 0), quota("lowPriorityCores", 24, 24)])).toEqual([
		quotaRow,
		{ name: "lowPriorityCores as people read it", unit: "cores", limit: 24, used: 24 },
	]);
	expect(quotasOf([family, quota("cores", 100, 90)])).toMatchObject([{ limit: 100, used: 90 }, null]);
	expect(quotasOf([quota("standardOtherFamily", 0, 0)])).toEqual([null, null]);
});
