import { isAlive } from "../shared/machine-record.ts";
import type { ResolvedOptions } from "./options.ts";
import type { World } from "./world.ts";

/** Amazon's quotas on vCPUs of accelerated machines, as Service Quotas lists them for the service `ec2`. */
const VCPU_QUOTAS = [
	["L-417A185B", "Running On-Demand P instances", false, /^p\d/],
	["L-DB2E81BA", "Running On-Demand G and VT instances", false, /^(gr?|vt)\d/],
	["L-6E869C2A", "Running On-Demand DL instances", false, /^dl\d/],
	["L-2C3B7624", "Running On-Demand Trn instances", false, /^trn\d/],
	["L-1945791B", "Running On-Demand Inf instances", false, /^inf\d/],
	// P5 has a separate quota in accounts that list one; otherwise it counts as P.
	["L-C4BD4855", "All P5 Spot Instance Requests", true, /^p5/],
	["L-7212CCBC", "All P Spot Instance Requests", true, /^p\d/],
	["L-3819A6DF", "All G and VT Spot Instance Requests", true, /^(gr?|vt)\d/],
	["L-85EED4F7", "All DL Spot Instance Requests", true, /^dl\d/],
	["L-6B0D517C", "All Trn Spot Instance Requests", true, /^trn\d/],
	["L-B5D1601B", "All Inf Spot Instance Requests", true, /^inf\d/],
] as const;

export interface VcpuQuota {
	code: string;
	name: string;
	spot: boolean;
	limit: number;
}

/** The account's quotas. */
export function vcpuQuotas({ vcpuQuotas: given }: ResolvedOptions): VcpuQuota[] {
	return VCPU_QUOTAS.flatMap(([code, name, spot]) => {
		const limit = given[code];
		return limit === undefined ? [] : [{ code, name, spot, limit }];
	});
}

/** The quota that applies to a machine; null if the account has none. */
export function vcpuQuotaOf(options: ResolvedOptions, instanceType: string, isSpot: boolean): VcpuQuota | null {
	const code = VCPU_QUOTAS.find(
		([id, , spot, types]) => spot === isSpot && types.test(instanceType) && options.vcpuQuotas[id] !== undefined,
	)?.[0];
	return vcpuQuotas(options).find((quota) => quota.code === code) ?? null;
}

/** How many more machines of a type fit into a region's quota. */
export function machinesWithin(world: World, region: string, quota: VcpuQuota, instanceType: string): number {
	const vcpusOf = (type: string) => world.catalog.type(type)?.vcpus ?? 0;
	const used = world.store
		.machines()
		.filter(({ reservation, instance }) => reservation.region === region && isAlive(instance.state))
		.filter(({ reservation }) => !reservation.capacityReservation?.isBlock)
		.filter(
			({ reservation, instance }) => vcpuQuotaOf(world.options, reservation.instanceType, instance.spot !== null)?.code === quota.code,
		)
		.reduce((sum, { reservation }) => sum + vcpusOf(reservation.instanceType), 0);
	return Math.max(0, Math.floor((quota.limit - used) / Math.max(1, vcpusOf(instanceType))));
}
