import { describe, expect, it } from "vitest";
import { type LeadPart, prepareCapacityLead, type Site } from "./lead.ts";
import { groupOffers, listPriceDay, type OfferView } from "./offers.ts";
import { regionsOf } from "./regions.ts";
import { holdersOf, runsOf } from "./slots.ts";

const offer = (more: Partial<OfferView>): OfferView => ({
	...{
		id: "x",
		siteId: "aws",
		provider: "aws",
		region: "us-east-2",
		zone: "us-east-2a",
		instanceType: "g5.xlarge",
		accelerator: "A10G-24GB",
	},
	...{
		gpus: 1,
		vcpus: 4,
		memoryGiB: 16,
		capacityType: "spot",
		listMicroUsdPerHour: null,
		discount: null,
		quota: null,
		reservedFree: null,
		commitmentId: null,
		microUsdPerHour: "412000",
		microUsdPerGpuHour: "412000",
		priceStale: false,
		quarantine: null,
		disk: null,
	},
	...{
		priceObservedAt: "2026-11-19T14:00:00Z",
		priceSource: "EC2",
		backoffUntil: null,
		backoffReason: null,
		gridGramsPerKwh: 396,
		prices: [],
	},
	...more,
});
const pool = (busy: number, free: number, off: number): Site["pools"][number] => ({
	...{
		id: "local",
		accelerator: "L40S-48GB",
		nodes: 1,
		nodesToCome: 0,
		noneComes: false,
		gpusPerNode: busy + free + off,
		gpus: busy + free + off,
		busy,
		speed: 1,
		unavailable: off,
	},
	...{ microUsdPerGpuHour: "1050000", slots: [], holders: [] },
});
const site = (kind: Site["kind"], more: Partial<Site>): Site => ({
	...{
		id: "s",
		name: "S",
		provider: kind === "owned" ? "local" : "aws",
		kind,
		enabled: true,
		healthy: true,
		healthMessage: null,
		lastSeenAt: null,
	},
	...{
		gpusBusy: 0,
		gpusTotal: null,
		instancesLive: 0,
		burnMicroUsdPerHour: "0",
		regions: [],
		pools: [],
		lastSweep: null,
		lastOrphanAt: null,
	},
	...more,
});
const text = (parts: readonly LeadPart[]) =>
	parts
		.map((p) => p.text)
		.join("")
		.trim();

describe("groupOffers", () => {
	it("groups the zones of a region at the lowest price and keeps capacity types separate", () => {
		const lines = groupOffers([
			offer({ id: "a" }),
			offer({ id: "b", zone: "us-east-2b" }),
			offer({ id: "c", capacityType: "on_demand", zone: null }),
			offer({ id: "d", region: "eu-west-1" }),
		]);
		expect(lines.map((l) => [l.offer.id, l.zones])).toEqual([
			["a", 2],
			["c", 1],
			["d", 1],
		]);
	});

	it("dates a price list", () => {
		expect(listPriceDay("list price of 2026-07-20: Karpenter")).toBe("2026-07-20");
		expect(listPriceDay("EC2 DescribeSpotPriceHistory")).toBeNull();
	});
});

describe("prepareCapacityLead", () => {
	it("counts free and out-of-service GPUs separately", () => {
		expect(text(prepareCapacityLead([site("owned", { pools: [pool(61, 2, 1)] })], null, 1))).toBe(
			"61 of 64 owned GPUs busy; 2 free, 1 out of service. No cloud account connected.",
		);
	});

	it("reports the current cloud cost and the lowest available price", () => {
		const sites = [site("owned", { pools: [pool(4, 0, 0)] }), site("cloud", { instancesLive: 1, burnMicroUsdPerHour: "179300" })];
		expect(text(prepareCapacityLead(sites, offer({}), 8))).toBe(
			"All 4 owned GPUs busy. 1 cloud machine at $0.18/h. A machine with 8 GPUs in the cloud: from $0.41 per GPU-hour (A10G-24GB).",
		);
	});

	it("omits unknown prices", () => expect(text(prepareCapacityLead([], offer({ microUsdPerGpuHour: null }), 1))).not.toContain("$"));
	it("never reports a stale price as the cheapest", () =>
		expect(text(prepareCapacityLead([], offer({ priceStale: true }), 1))).not.toContain("$"));
});

describe("slots", () => {
	it("formats slot ranges", () => expect(runsOf([6, 0, 1, 2, 8, 9])).toBe("0 to 2, 6, 8, 9"));

	it("lists the slots of each job", () => {
		const held = (jobId: string, slots: number[]) => ({ jobId, jobName: `name of ${jobId}`, team: "risk", slots });
		expect(holdersOf([held("a", [0, 2]), held("b", [1])])).toEqual([
			{ jobId: "a", jobName: "name of a", team: "risk", slots: "0, 2", gpus: 2 },
			{ jobId: "b", jobName: "name of b", team: "risk", slots: "1", gpus: 1 },
		]);
	});
});

describe("regionsOf", () => {
	it("separates reachable from failing regions with the reason; unswept regions stay unknown", () => {
		const lastSweep = {
			...{ atMs: 1, seen: 0, owned: 0, orphans: 0, regions: ["us-east-1"] },
			failedRegions: [{ region: "us-west-2", message: "AccessDenied: ec2:DescribeInstances" }],
		};
		expect(regionsOf(site("cloud", { regions: ["us-east-1", "us-west-2", "eu-west-1"], lastSweep }))).toEqual([
			{ region: "us-east-1", answers: true, why: null },
			{ region: "eu-west-1", answers: null, why: null },
			{ region: "us-west-2", answers: false, why: "AccessDenied: ec2:DescribeInstances" },
		]);
		expect(regionsOf(site("cloud", { regions: ["us-east-1"] }))).toEqual([{ region: "us-east-1", answers: null, why: null }]);
	});
});
