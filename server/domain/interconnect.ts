import { z } from "zod";
import { tpuSliceOf } from "./tpu-slice.ts";
import type { CapacityType, Provider } from "./vocabulary.ts";

/** What a job of several nodes requires of the network between them. `high`: EFA, InfiniBand, gVNIC or a declared cluster network. */
export const INTERCONNECTS = ["any", "high"] as const;

/** A job's request. Absent: any network. */
export interface InterconnectRequest {
	nodes: number;
	interconnect?: "high" | undefined;
}

interface InterconnectOffer {
	provider: Provider;
	instanceType: string;
	capacityType: CapacityType;
	/** Google Cloud only: subnetworks for GPU traffic that the site has in the offer's region. Absent: 0. */
	gpuSubnetworks?: number | undefined;
}

/** Whether the job's machines need a high-bandwidth interconnect. A single machine has none to use. */
export function needsInterconnect({ nodes, interconnect }: InterconnectRequest): boolean {
	return nodes > 1 && interconnect === "high";
}

/**
 * EFA interfaces by instance type, as of 2026-08-21. Source: `vpc.amazonaws.com/efa` in the instance types of
 * aws/karpenter-provider-aws, generated from ec2:DescribeInstanceTypes (NetworkInfo.EfaInfo.MaximumEfaInterfaces).
 */
const AWS_EFAS: Readonly<Record<string, number>> = {
	...ofSizes("g4dn", ["8xlarge", "12xlarge", "16xlarge", "metal"], 1),
	...ofSizes("g5", ["8xlarge", "12xlarge", "16xlarge", "24xlarge", "48xlarge"], 1),
	...ofSizes("g6", ["8xlarge", "12xlarge", "16xlarge", "24xlarge", "48xlarge"], 1),
	...ofSizes("g6e", ["8xlarge", "12xlarge", "16xlarge"], 1),
	"g6e.24xlarge": 2,
	"g6e.48xlarge": 4,
	"p3dn.24xlarge": 1,
	"p4d.24xlarge": 4,
	"p4de.24xlarge": 4,
	"p5.4xlarge": 1,
	"p5.48xlarge": 32,
	"p5e.48xlarge": 32,
	"p5en.48xlarge": 16,
	"p6-b200.48xlarge": 8,
	"p6-b300.48xlarge": 16,
};

/**
 * Types without EFA on their first network card: 17 cards (0 to 16), with EFA on 1 to 16. Source: EC2 User Guide, "Maximize network bandwidth on
 * Amazon EC2 instances with multiple network cards", and the Terraform layouts made from it, read on 2026-11-29.
 */
const AWS_FIRST_CARD_WITHOUT_EFA: ReadonlySet<string> = new Set(["p6-b300.48xlarge"]);

function ofSizes(family: string, sizes: readonly string[], efas: number): Record<string, number> {
	return Object.fromEntries(sizes.map((size) => [`${family}.${size}`, efas]));
}

/** EFA interfaces of an AWS instance type; 0 without EFA. */
export function efaInterfacesOf(instanceType: string): number {
	return AWS_EFAS[instanceType] ?? 0;
}

/** The first network card of an AWS instance type that has an EFA: 0 or 1. Each further card has one as well. */
export function firstEfaCardOf(instanceType: string): 0 | 1 {
	return AWS_FIRST_CARD_WITHOUT_EFA.has(instanceType) ? 1 : 0;
}

/**
 * Azure marks sizes with InfiniBand by `r` among the additive features after the number of vCPUs, as in `Standard_ND96isr_H100_v5`.
 * Source: Microsoft Learn, "Azure virtual machine sizes naming conventions" and "RDMA-capable instances", as of 2025-11.
 */
const AZURE_INFINIBAND = /^Standard_N[CD]\d+[a-z]*r[a-z]*_/;

/**
 * Google's machine types that need only gVNIC and compact placement: A2 sizes with all of a host's GPUs have the
 * host's full 100 Gbps. Source: Google Cloud, "Placement policies overview" and "Networking and GPU machines", as of 2026-03.
 */
const GOOGLE_ONE_NIC = /^a2-(?:highgpu-8g|megagpu-16g|ultragpu-8g)$/;

/**
 * Network interfaces for GPU traffic, in addition to the host's one, each gVNIC in a separate VPC network: 4 for GPUDirect-TCPX and 8 for
 * TCPXO. A3 Ultra, A4 and A4X (RDMA) are left out: they are in no price list that is read, and need a network with an RDMA profile.
 * Source: Google Cloud, "Maximize GPU network bandwidth with GPUDirect" and "Networking and GPU machines", read on 2026-11-29.
 */
const GOOGLE_GPU_NICS: Readonly<Record<string, number>> = { "a3-highgpu-8g": 4, "a3-megagpu-8g": 8 };

/** Interfaces for GPU traffic of a Google machine type; 0 for types without such interfaces. */
export function gpuNicsOf(instanceType: string): number {
	return GOOGLE_GPU_NICS[instanceType] ?? 0;
}

/** The site setting `gpuSubnetworks`: subnetworks for GPU traffic in all regions, `regions/<region>/subnetworks/<name>`. */
export const gpuSubnetworksSchema = z.array(
	z
		.string()
		.regex(
			/^(projects\/[a-z0-9.:-]+\/)?regions\/[a-z0-9-]+\/subnetworks\/[a-z0-9-]+$/,
			"must be a subnetwork such as regions/us-central1/subnetworks/gpu-1",
		),
);

/** Those of a region, in the order of the setting. */
export function gpuSubnetworksIn(region: string, all: readonly string[]): string[] {
	return all.filter((subnetwork) => subnetwork.includes(`regions/${region}/`));
}

/**
 * Whether machines of an offer can be launched with a high-bandwidth interconnect between them. Unknown types count as without one, and so do
 * Google's types with GPU interfaces at a site with too few subnetworks for them. Azure connects machines by InfiniBand within an availability set, which takes no spot machines.
 */
export function hasInterconnect({ provider, instanceType, capacityType, gpuSubnetworks = 0 }: InterconnectOffer): boolean {
	switch (provider) {
		case "aws":
			return efaInterfacesOf(instanceType) > 0;
		case "azure":
			return capacityType !== "spot" && AZURE_INFINIBAND.test(instanceType);
		case "gcp":
			return (
				GOOGLE_ONE_NIC.test(instanceType) ||
				(instanceType in GOOGLE_GPU_NICS && gpuSubnetworks >= gpuNicsOf(instanceType)) ||
				tpuSliceOf({ provider, instanceType }) !== null
			);
		default:
			return false;
	}
}

/** The network between the nodes of an owned pool, as its site declares it. */
export const POOL_INTERCONNECTS = ["high", "none"] as const;
export type PoolInterconnect = (typeof POOL_INTERCONNECTS)[number];

/** The site setting `interconnect`, keyed by pool id or accelerator. Pools that it does not name have an unknown network. */
export const poolInterconnectsSchema = z.record(z.string().min(1), z.enum(POOL_INTERCONNECTS));
