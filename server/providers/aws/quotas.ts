import type { OfferQuota } from "#server/domain/capacity.ts";
import type { CountedMachine, ReservedCapacity } from "./client.ts";

type Buying = "on_demand" | "spot";

/**
 * Service Quotas' codes for EC2's vCPU quotas, with the machine families that each counts: the letters at the start of a type's
 * name. Source: Amazon EC2 User Guide, "On-Demand Instance quotas" and "Spot Instance quotas".
 */
const FAMILIES: Readonly<Record<string, readonly [buying: Buying, families: readonly string[]]>> = {
	"L-417A185B": ["on_demand", ["p"]],
	"L-DB2E81BA": ["on_demand", ["g", "gr", "vt"]],
	"L-6E869C2A": ["on_demand", ["dl"]],
	"L-2C3B7624": ["on_demand", ["trn"]],
	"L-1945791B": ["on_demand", ["inf"]],
	"L-7212CCBC": ["spot", ["p"]],
	"L-C4BD4855": ["spot", ["p5"]],
	"L-3819A6DF": ["spot", ["g", "gr", "vt"]],
	"L-85EED4F7": ["spot", ["dl"]],
	"L-6B0D517C": ["spot", ["trn"]],
	"L-B5D1601B": ["spot", ["inf"]],
};

/** Families by which EC2 filters types; `g` includes `gr`. */
export const COUNTED_FAMILIES = ["p", "g", "vt", "dl", "trn", "inf"] as const;

export interface VcpuQuota {
	name: string;
	buying: Buying;
	/** The families that it counts, such as `p`, or with the generation, such as `p5`. */
	families: readonly string[];
	limit: number;
}

/**
 * Selects the quotas on accelerated machines from all of EC2's. Amazon has split the spot quota on P by generation and merged it
 * again: if its name lists generations, it counts only those.
 */
export function readVcpuQuotas(rows: readonly { QuotaCode: string; QuotaName: string; Value: number }[]): VcpuQuota[] {
	return rows.flatMap(({ QuotaCode, QuotaName, Value }) => {
		const known = FAMILIES[QuotaCode];
		if (!known) return [];
		const [buying, families] = known;
		const generations = (QuotaName.match(/\b[A-Z]\d+\b/g) ?? []).map((name) => name.toLowerCase());
		return [{ name: QuotaName, buying, families: generations.length > 0 ? generations : families, limit: Value }];
	});
}

/** The quota that applies to a machine: the one on its generation, else the one on its family; null if neither is known. */
export function quotaOf(quotas: readonly VcpuQuota[], instanceType: string, buying: Buying): VcpuQuota | null {
	const [generation = "", family = ""] = /^([a-z]+)\d+/.exec(instanceType) ?? [];
	const holds = (name: string) => quotas.find((quota) => quota.buying === buying && quota.families.includes(name)) ?? null;
	return holds(generation) ?? holds(family);
}

export interface QuotaFacts {
	quotas: readonly VcpuQuota[];
	machines: readonly CountedMachine[];
	/** Reserved capacity. Another account's counts towards that account's quotas. */
	reserved: readonly ReservedCapacity[];
	/** null if unknown; then no reservation can be attributed to us. */
	accountId: string | null;
	/** vCPUs by type, for known types. */
	vcpus: ReadonlyMap<string, number>;
}

/** An offer's quota and its current use; empty if none is known. Pure. */
export function offerQuota(facts: QuotaFacts, instanceType: string, buying: Buying): { quota?: OfferQuota } {
	const { quotas, machines, vcpus } = facts;
	const quota = quotaOf(quotas, instanceType, buying);
	if (quota === null) return {};
	const running = machines
		.filter((machine) => isCounted(machine) && quotaOf(quotas, machine.InstanceType, buyingOf(machine)) === quota)
		.reduce((sum, machine) => sum + vcpusOf(machine, vcpus), 0);
	const used = running + (buying === "on_demand" ? unusedVcpus(facts, quota, instanceType) : 0);
	return { quota: { name: quota.name, unit: "cores", limit: quota.limit, used } };
}

/** States of capacity that is not available yet; all of it counts. */
const COMING = new Set(["assessing", "scheduled", "pending", "delayed"]);

/**
 * "Capacity Reservations count toward your On-Demand Instance quotas, even if they are unused" (EC2 User Guide, "On-Demand
 * Instance quotas"), in the states active and COMING ("On-Demand Capacity Reservations", "Quotas"). Open reservations that EC2
 * would use automatically for the offer's type are excluded, because a machine in one does not count again.
 */
function unusedVcpus({ quotas, reserved, accountId, vcpus }: QuotaFacts, quota: VcpuQuota, instanceType: string): number {
	return reserved
		.filter((one) => one.OwnerId === accountId && one.ReservationType !== "capacity-block")
		.filter((one) => quotaOf(quotas, one.InstanceType, "on_demand") === quota && !isOpenFor(one, instanceType))
		.reduce((sum, one) => sum + unusedIn(one) * (vcpus.get(one.InstanceType) ?? 0), 0);
}

function unusedIn({ State, TotalInstanceCount, AvailableInstanceCount }: ReservedCapacity): number {
	if (State === "active") return AvailableInstanceCount;
	return COMING.has(State) ? TotalInstanceCount : 0;
}

function isOpenFor(one: ReservedCapacity, instanceType: string): boolean {
	const { State, InstanceMatchCriteria, InstancePlatform = "Linux/UNIX", Tenancy = "default" } = one;
	const isOpen = State === "active" && InstanceMatchCriteria === "open";
	return isOpen && one.InstanceType === instanceType && InstancePlatform === "Linux/UNIX" && Tenancy === "default";
}

/** Capacity blocks and dedicated hosts have separate quotas. */
function isCounted({ InstanceLifecycle: lifecycle, Placement }: CountedMachine): boolean {
	return (lifecycle === undefined || lifecycle === "spot") && Placement?.Tenancy !== "host";
}

function buyingOf({ InstanceLifecycle }: CountedMachine): Buying {
	return InstanceLifecycle === "spot" ? "spot" : "on_demand";
}

function vcpusOf({ InstanceType, CpuOptions }: CountedMachine, known: ReadonlyMap<string, number>): number {
	return known.get(InstanceType) ?? (CpuOptions ? CpuOptions.CoreCount * CpuOptions.ThreadsPerCore : 0);
}
