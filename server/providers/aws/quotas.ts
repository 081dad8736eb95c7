import type { OfferQuota } from "#server/domain/capacity.ts";
import type { CountedMachine, ReservedCapacity } from "./client.ts";

type Buying = "on_demand" | "spot";

/**
 * Service Quotas' codes of EC2's quotas on vCPUs, with the families of machines that each counts: the letters that a type's name
 * begins with. Source: Amazon EC2 User Guide, "On-Demand Instance quotas" and "Spot Instance quotas".
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

/** By which EC2 filters types; `g` stands for `gr` too. */
export const COUNTED_FAMILIES = ["p", "g", "vt", "dl", "trn", "inf"] as const;

export interface VcpuQuota {
	name: string;
	buying: Buying;
	/** Of types that it counts, such as `p`, or with the generation, such as `p5`. */
	families: readonly string[];
	limit: number;
}

/**
 * The quotas on machines with accelerators among all of EC2's. Amazon has cut the one on P as spot into generations and made it one
 * again: where its name lists generations, it counts those alone.
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

/** The quota that a machine counts in, the one on its generation before the one on its family; null when none is known. */
export function quotaOf(quotas: readonly VcpuQuota[], instanceType: string, buying: Buying): VcpuQuota | null {
	const [generation = "", family = ""] = /^([a-z]+)\d+/.exec(instanceType) ?? [];
	const holds = (name: string) => quotas.find((quota) => quota.buying === buying && quota.families.includes(name)) ?? null;
	return holds(generation) ?? holds(family);
}

export interface QuotaFacts {
	quotas: readonly VcpuQuota[];
	machines: readonly CountedMachine[];
	/** What is reserved; that of another account counts in that one's quotas. */
	reserved: readonly ReservedCapacity[];
	/** Null: not known, and then no reservation is known to be ours. */
	accountId: string | null;
	/** vCPUs of the types that are known. */
	vcpus: ReadonlyMap<string, number>;
}

/** What an offer's quota allows and what is used of it; nothing where none is known. Pure. */
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

/** Of capacity that is not there yet, all of it counts. */
const COMING = new Set(["assessing", "scheduled", "pending", "delayed"]);

/**
 * "Capacity Reservations count toward your On-Demand Instance quotas, even if they are unused" (EC2 User Guide, "On-Demand
 * Instance quotas"), in the states active and COMING ("On-Demand Capacity Reservations", "Quotas"). Not for a machine that EC2 puts
 * into them by itself: unused open reservations of its type do not count again.
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

/** Capacity blocks and dedicated hosts have their own quotas. */
function isCounted({ InstanceLifecycle: lifecycle, Placement }: CountedMachine): boolean {
	return (lifecycle === undefined || lifecycle === "spot") && Placement?.Tenancy !== "host";
}

function buyingOf({ InstanceLifecycle }: CountedMachine): Buying {
	return InstanceLifecycle === "spot" ? "spot" : "on_demand";
}

function vcpusOf({ InstanceType, CpuOptions }: CountedMachine, known: ReadonlyMap<string, number>): number {
	return known.get(InstanceType) ?? (CpuOptions ? CpuOptions.CoreCount * CpuOptions.ThreadsPerCore : 0);
}
