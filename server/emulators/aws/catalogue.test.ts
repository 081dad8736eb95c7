import {
	DescribeAvailabilityZonesCommand,
	DescribeInstanceTypeOfferingsCommand,
	DescribeInstanceTypesCommand,
	DescribeRegionsCommand,
	DescribeSpotPriceHistoryCommand,
	type DescribeSpotPriceHistoryCommandInput,
	paginateDescribeSpotPriceHistory,
} from "@aws-sdk/client-ec2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DAY_MS } from "#server/kernel/units.ts";
import { Catalog } from "./catalog.ts";
import { FIXTURE_CATALOG, startTestEmulator, type TestEmulator } from "./testing/fixture.ts";

const NOW = Date.UTC(2026, 10, 21, 12);
let emulator: TestEmulator;
beforeAll(async () => {
	emulator = await startTestEmulator({ clock: () => NOW });
});
afterAll(() => emulator.dispose());

async function prices(input: DescribeSpotPriceHistoryCommandInput) {
	const { SpotPriceHistory = [] } = await emulator.client().send(new DescribeSpotPriceHistoryCommand(input));
	return SpotPriceHistory;
}

describe("DescribeSpotPriceHistory", () => {
	it("returns each zone's current price for StartTime = now", async () => {
		const now = await prices({ StartTime: new Date(NOW), ProductDescriptions: ["Linux/UNIX"] });
		expect(now.map((p) => `${p.InstanceType} ${p.AvailabilityZone}`).sort()).toEqual([
			"g5.xlarge us-east-1a",
			"g5.xlarge us-east-1b",
			"p5.48xlarge us-east-1b",
		]);
		for (const price of now) {
			expect(price.SpotPrice).toMatch(/^\d+\.\d{6}$/);
			expect(price.Timestamp?.getTime()).toBeLessThanOrEqual(NOW);
		}
	});

	it("changes a few times a day around the catalog's price, never above on-demand, newest first", async () => {
		const days = 60;
		const history = await prices({
			InstanceTypes: ["g5.xlarge"],
			AvailabilityZone: "us-east-1a",
			StartTime: new Date(NOW - days * DAY_MS),
		});
		const perDay = history.length / days;
		expect(perDay).toBeGreaterThan(1);
		expect(perDay).toBeLessThan(6);
		const values = history.map(({ SpotPrice }) => Number(SpotPrice));
		const mean = values.reduce((a, b) => a + b, 0) / values.length;
		expect(Math.abs(mean - 0.4)).toBeLessThan(0.04);
		expect(new Set(values).size).toBeGreaterThan(20);
		expect(Math.max(...values)).toBeLessThanOrEqual(1.006);
		const times = history.map(({ Timestamp }) => Timestamp?.getTime() ?? 0);
		expect(times).toEqual([...times].sort((a, b) => b - a));
	});

	it("returns the same history when read again, in parts and in pages", async () => {
		const whole = await prices({ StartTime: new Date(NOW - 30 * DAY_MS), EndTime: new Date(NOW) });
		const paged: typeof whole = [];
		let pages = 0;
		const window = { StartTime: new Date(NOW - 30 * DAY_MS), EndTime: new Date(NOW) };
		for await (const page of paginateDescribeSpotPriceHistory({ client: emulator.client(), pageSize: 40 }, window)) {
			pages += 1;
			paged.push(...(page.SpotPriceHistory ?? []));
		}
		expect(pages).toBeGreaterThan(3);
		expect(paged).toEqual(whole);
		const early = await prices({ StartTime: new Date(NOW - 30 * DAY_MS), EndTime: new Date(NOW - 10 * DAY_MS) });
		expect(whole.slice(-early.length)).toEqual(early);
	});

	it("filters, and supports one product", async () => {
		const start = { StartTime: new Date(NOW) };
		expect(await prices({ ...start, Filters: [{ Name: "availability-zone", Values: ["us-east-1b"] }] })).toHaveLength(2);
		expect(await prices({ ...start, AvailabilityZoneId: "use1-az1" })).toHaveLength(1);
		expect(await prices({ ...start, ProductDescriptions: ["Windows"] })).toEqual([]);
		expect(await prices({ ...start, InstanceTypes: ["m5.large"] })).toEqual([]);
	});
});

describe("what is sold where", () => {
	it("is listed by region, by zone and by zone id", async () => {
		const offerings = async (LocationType?: "region" | "availability-zone" | "availability-zone-id") => {
			const { InstanceTypeOfferings = [] } = await emulator
				.client()
				.send(new DescribeInstanceTypeOfferingsCommand({ LocationType, Filters: [{ Name: "instance-type", Values: ["g5.*"] }] }));
			return InstanceTypeOfferings.map(({ Location }) => Location);
		};
		expect(await offerings()).toEqual(["us-east-1"]);
		expect(await offerings("availability-zone")).toEqual(["us-east-1a", "us-east-1b"]);
		expect(await offerings("availability-zone-id")).toEqual(["use1-az1", "use1-az2"]);
	});

	it("includes vCPUs, memory and GPUs", async () => {
		const { InstanceTypes } = await emulator.client().send(new DescribeInstanceTypesCommand({ InstanceTypes: ["p5.48xlarge"] }));
		expect(InstanceTypes).toEqual([
			{
				InstanceType: "p5.48xlarge",
				SupportedUsageClasses: ["on-demand", "spot"],
				VCpuInfo: { DefaultVCpus: 192 },
				MemoryInfo: { SizeInMiB: 2_097_152 },
				GpuInfo: {
					Gpus: [{ Name: "H100", Manufacturer: "NVIDIA", Count: 8, MemoryInfo: { SizeInMiB: 81_920 } }],
					TotalGpuMemoryInMiB: 655_360,
				},
				NetworkInfo: { EfaSupported: true, MaximumNetworkCards: 32, EfaInfo: { MaximumEfaInterfaces: 32 } },
			},
		]);
		const unknown = new DescribeInstanceTypesCommand({ InstanceTypes: ["m5.large"] });
		await expect(emulator.client().send(unknown)).rejects.toMatchObject({ name: "InvalidInstanceType" });
	});

	it("is in the catalog's regions and zones", async () => {
		const { Regions } = await emulator.client().send(new DescribeRegionsCommand({ RegionNames: ["eu-west-1"] }));
		expect(Regions).toEqual([{ RegionName: "eu-west-1", Endpoint: new URL(emulator.url).host, OptInStatus: "opt-in-not-required" }]);
		const { AvailabilityZones } = await emulator.client().send(new DescribeAvailabilityZonesCommand({}));
		expect(AvailabilityZones?.map(({ ZoneName, ZoneId, State }) => [ZoneName, ZoneId, State])).toEqual([
			["us-east-1a", "use1-az1", "available"],
			["us-east-1b", "use1-az2", "available"],
		]);
	});
});

describe("the catalog", () => {
	it("rejects a price of 0 and a duplicate type", () => {
		const [g5] = FIXTURE_CATALOG;
		if (!g5) throw new Error("the fixture is empty");
		expect(() => new Catalog([g5, g5])).toThrow(/twice/);
		expect(() => new Catalog([{ ...g5, regions: [{ region: "us-east-1", onDemandMicroUsdPerHour: 0n, zones: [] }] }])).toThrow(/no price/);
		const free = [{ zone: "us-east-1a", spotMicroUsdPerHour: 0n }];
		expect(() => new Catalog([{ ...g5, regions: [{ region: "us-east-1", onDemandMicroUsdPerHour: 1n, zones: free }] }])).toThrow(
			/spot price of 0/,
		);
	});
});
