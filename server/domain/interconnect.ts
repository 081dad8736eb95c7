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
}

/** Whether the job's machines need a high-bandwidth interconnect. A single machine has none to use. */
export function needsInterconnect({ nodes, interconnect }: InterconnectRequest): boolean {
	return nodes > 1 && interconnect === "high";
}

/**
 * EFA interfaces by instance type, as of 2026-08-21. Source: `vpc.amazonaws.com/efa` in the instance types of
 * aws/karpenter-provider-aws, generated from ec2:DescribeInstanceTypes (NetworkInfo.EfaInfo.MaximumEfaInterfaces). p6-b300 is left
 * out, because its first network card has no EFA and needs another layout of interfaces.
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
};

function ofSizes(family: string, sizes: readonly string[], efas: number): Record<string, number> {
	return Object.fromEntries(sizes.map((size) => [`${family}.${size}`, efas]));
}

/** EFA interfaces of an AWS instance type; 0 without EFA. */
export function efaInterfacesOf(instanceType: string): number {
	return AWS_EFAS[instanceType] ?? 0;
}

/**
 * Azure marks sizes with InfiniBand by `r` among the additive features after the number of vCPUs, as in `Standard_ND96isr_H100_v5`.
 * Source: Microsoft Learn, "Azure virtual machine sizes naming conventions" and "RDMA-capable instances", as of 2025-11.
 */
const AZURE_INFINIBAND = /^Standard_N[CD]\d+[a-z]*r[a-z]*_/;

/**
 * Google's machine types for GPU clusters: A2, A3 and A4 support gVNIC and compact placement, and A3 and A4 also GPUDirect (TCPX,
 * TCPXO or RDMA). Only sizes with all of a host's GPUs have the host's full network. Source: Google Cloud, "Placement policies overview"
 * and "GPU machine types", as of 2026-03.
 */
const GOOGLE_CLUSTERED = /^(?:a2-(?:highgpu-8g|megagpu-16g|ultragpu-8g)|a3-(?:highgpu|megagpu|ultragpu)-8g|a4-highgpu-8g|a4x-highgpu-4g)$/;

/**
 * Whether machines of an offer can be launched with a high-bandwidth interconnect between them. Unknown types count as without one. Azure
 * connects machines by InfiniBand within an availability set, which takes no spot machines.
 */
export function hasInterconnect({ provider, instanceType, capacityType }: InterconnectOffer): boolean {
	switch (provider) {
		case "aws":
			return efaInterfacesOf(instanceType) > 0;
		case "azure":
			return capacityType !== "spot" && AZURE_INFINIBAND.test(instanceType);
		case "gcp":
			return GOOGLE_CLUSTERED.test(instanceType) || tpuSliceOf({ provider, instanceType }) !== null;
		default:
			return false;
	}
}

/** The network between the nodes of an owned pool, as its site declares it. */
export const POOL_INTERCONNECTS = ["high", "none"] as const;
export type PoolInterconnect = (typeof POOL_INTERCONNECTS)[number];

/** The site setting `interconnect`, keyed by pool id or accelerator. Pools that it does not name have an unknown network. */
export const poolInterconnectsSchema = z.record(z.string().min(1), z.enum(POOL_INTERCONNECTS));
