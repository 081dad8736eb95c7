import type { Provider } from "./vocabulary.ts";

/** Several TPU hosts with one interconnect between all chips. Google creates and deletes it as a whole. */
export interface TpuSlice {
	/** Google's accelerator type, the instance type of its offers: `v6e-16`. */
	acceleratorType: string;
	/** Canonical model, e.g. `TPU-v6e`. */
	accelerator: string;
	/** Chips along each axis, e.g. `4x4`. */
	topology: string;
	hosts: number;
	chipsPerHost: number;
	/** Of one host. */
	vcpus: number;
	memoryGiB: number;
}

interface Generation {
	accelerator: string;
	vcpus: number;
	memoryGiB: number;
	/** Topology and hosts by accelerator type. */
	types: Readonly<Record<string, readonly [topology: string, hosts: number]>>;
}

/** In every slice of several hosts, each host has 4 chips. */
const CHIPS_PER_HOST = 4;

/**
 * Source: Google Cloud, "TPU v5e", "TPU v5p" and "TPU v6e", tables of accelerator types and topologies; vCPUs and memory of a host with 4
 * chips from "Plan TPUs in GKE" (ct5lp-hightpu-4t, ct5p-hightpu-4t, ct6e-standard-4t). The number in a v5p type counts TensorCores, two for
 * each chip; in the others it counts chips. v5p slices above 256 chips and other v5p topologies are left out.
 */
const GENERATIONS: readonly Generation[] = [
	{
		...{ accelerator: "TPU-v5e", vcpus: 112, memoryGiB: 192 },
		types: {
			"v5litepod-16": ["4x4", 4],
			"v5litepod-32": ["4x8", 8],
			"v5litepod-64": ["8x8", 16],
			"v5litepod-128": ["8x16", 32],
			"v5litepod-256": ["16x16", 64],
		},
	},
	{
		...{ accelerator: "TPU-v5p", vcpus: 208, memoryGiB: 448 },
		types: {
			"v5p-16": ["2x2x2", 2],
			"v5p-32": ["2x2x4", 4],
			"v5p-64": ["2x4x4", 8],
			"v5p-128": ["4x4x4", 16],
			"v5p-256": ["4x4x8", 32],
			"v5p-512": ["4x8x8", 64],
		},
	},
	{
		...{ accelerator: "TPU-v6e", vcpus: 180, memoryGiB: 720 },
		types: {
			"v6e-16": ["4x4", 4],
			"v6e-32": ["4x8", 8],
			"v6e-64": ["8x8", 16],
			"v6e-128": ["8x16", 32],
			"v6e-256": ["16x16", 64],
		},
	},
];

const SLICES: ReadonlyMap<string, TpuSlice> = new Map(
	GENERATIONS.flatMap(({ types, ...host }) =>
		Object.entries(types).map(([acceleratorType, [topology, hosts]]) => [
			acceleratorType,
			{ acceleratorType, topology, hosts, chipsPerHost: CHIPS_PER_HOST, ...host },
		]),
	),
);

/** All known slices, by generation and size. */
export const TPU_SLICES: readonly TpuSlice[] = [...SLICES.values()];

/** The slice that an offer or machine is a host of; null: it is a machine by itself. */
export function tpuSliceOf({ provider, instanceType }: { provider: Provider; instanceType: string | null }): TpuSlice | null {
	return provider === "gcp" && instanceType !== null ? (SLICES.get(instanceType) ?? null) : null;
}

/**
 * Variables by which libtpu, JAX and PyTorch/XLA find the hosts of a slice, under the names that GKE sets for its TPU pods.
 * @param addresses of all hosts, by worker number
 */
export function sliceEnvironment(slice: TpuSlice, worker: number, addresses: readonly string[]): Record<string, string> {
	return {
		TPU_WORKER_ID: String(worker),
		TPU_WORKER_HOSTNAMES: addresses.join(","),
		TPU_ACCELERATOR_TYPE: slice.acceleratorType,
		TPU_TOPOLOGY: slice.topology,
	};
}
