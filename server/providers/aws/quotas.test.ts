import { describe, expect, it } from "vitest";
import type { ReservedCapacity } from "./client.ts";
import { COUNTED_FAMILIES, offerQuota, type QuotaFacts, quotaOf, readVcpuQuotas } from "./quotas.ts";

const row = (QuotaCode: string, QuotaName: string, Value: number) => ({ QuotaCode, QuotaName, Value });
const P = row("L-417A185B", "Running On-Demand P instances", 384);
const G = row("L-DB2E81BA", "Running On-Demand G and VT instances", 64);
const P_SPOT = row("L-7212CCBC", "All P Spot Instance Requests", 192);
const OLD_P_SPOT = row("L-7212CCBC", "All P4, P3 and P2 Spot Instance Requests", 96);
const P5_SPOT = row("L-C4BD4855", "All P5 Spot Instance Requests", 0);
const OTHER = row("L-1216C47A", "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances", 5);

describe("the quota that a machine counts in", () => {
	it.each([
		["p5.48xlarge", "on_demand", [P, G, OTHER], P.QuotaName],
		["p6-b200.48xlarge", "on_demand", [P, G], P.QuotaName],
		["g4dn.xlarge", "on_demand", [P, G], G.QuotaName],
		["gr6.4xlarge", "on_demand", [P, G], G.QuotaName],
		["g5.xlarge", "spot", [P, G, P_SPOT], null],
		["p5en.48xlarge", "spot", [P_SPOT], P_SPOT.QuotaName],
		["p5.48xlarge", "spot", [P_SPOT, P5_SPOT], P5_SPOT.QuotaName],
		["p4d.24xlarge", "spot", [OLD_P_SPOT, P5_SPOT], OLD_P_SPOT.QuotaName],
		// The quota's name lists the generations, and this one is not among them, so AWS decides at launch.
		["p6-b200.48xlarge", "spot", [OLD_P_SPOT, P5_SPOT], null],
		["m5.large", "on_demand", [P, G, OTHER], null],
	] as const)("%s as %s", (type, buying, rows, wanted) => {
		expect(quotaOf(readVcpuQuotas(rows), type, buying)?.name ?? null).toBe(wanted);
	});

	it("is requested by families that EC2's filter matches", () => {
		for (const type of ["p5.48xlarge", "gr6.4xlarge", "vt1.3xlarge", "dl1.24xlarge", "trn1.2xlarge", "inf2.xlarge"])
			expect(COUNTED_FAMILIES.some((family) => type.startsWith(family))).toBe(true);
	});
});

describe("what is used of a quota", () => {
	const machine = (InstanceType: string, more: object = {}) => ({ InstanceType, ...more });
	const used = (
		machines: ReturnType<typeof machine>[],
		buying: "on_demand" | "spot" = "on_demand",
		more: Partial<Pick<QuotaFacts, "reserved" | "accountId">> = {},
	) =>
		offerQuota(
			{
				...{ quotas: readVcpuQuotas([P, G, P_SPOT, row("L-3819A6DF", "All G and VT Spot Instance Requests", 32)]), machines },
				...{ reserved: [], accountId: "123456789012", ...more },
				vcpus: new Map([
					["g5.xlarge", 4],
					["g6.12xlarge", 48],
				]),
			},
			"g5.xlarge",
			buying,
		).quota?.used;

	it("is the vCPUs of all machines that count towards it, regardless of who started them", () => {
		expect(
			used([machine("g5.xlarge"), machine("g5.xlarge"), machine("g4ad.4xlarge", { CpuOptions: { CoreCount: 8, ThreadsPerCore: 2 } })]),
		).toBe(24);
	});

	it("excludes other families, and keeps spot separate from on-demand", () => {
		const machines = [machine("p4d.24xlarge"), machine("m5.large"), machine("g5.xlarge", { InstanceLifecycle: "spot" })];
		expect([used(machines), used(machines, "spot")]).toEqual([0, 4]);
	});

	const reserved = (changes: Partial<ReservedCapacity> = {}): ReservedCapacity => ({
		...{ CapacityReservationId: "cr-1", InstanceType: "g6.12xlarge", State: "active", OwnerId: "123456789012" },
		...{ TotalInstanceCount: 3, AvailableInstanceCount: 2, InstanceMatchCriteria: "open" },
		...changes,
	});

	it.each([
		["two of three unused: 2 × 48, beside a machine of 4", {}, 100],
		["all of a pending reservation", { State: "scheduled" }, 148],
		["nothing of an ended reservation", { State: "expired" }, 4],
		["nothing of a Capacity Block, which has its own quota", { ReservationType: "capacity-block" }, 4],
		["nothing of a reservation shared by another account", { OwnerId: "999999999999" }, 4],
		["nothing of an open reservation of its type: EC2 puts it there", { InstanceType: "g5.xlarge" }, 4],
		["its own type where it must be named", { InstanceType: "g5.xlarge", InstanceMatchCriteria: "targeted" }, 12],
		["its own type for Windows", { InstanceType: "g5.xlarge", InstancePlatform: "Windows" }, 12],
	])("includes unused reserved capacity: %s", (_, changes, wanted) => {
		expect(used([machine("g5.xlarge")], "on_demand", { reserved: [reserved(changes)] })).toBe(wanted);
	});

	it("includes none of it for spot, or if its owner is unknown", () => {
		expect(used([], "spot", { reserved: [reserved()] })).toBe(0);
		expect(used([], "on_demand", { reserved: [reserved()], accountId: null })).toBe(0);
	});

	it("excludes capacity blocks and dedicated hosts, which have separate quotas", () => {
		expect(
			used([machine("g5.xlarge", { InstanceLifecycle: "capacity-block" }), machine("g5.xlarge", { Placement: { Tenancy: "host" } })]),
		).toBe(0);
	});
});
