import {
	DescribeInstanceTypes$,
	type DescribeInstanceTypesRequest,
	type DescribeInstanceTypesResult,
	type GpuInfo,
	type InstanceTypeInfo,
	type NetworkInfo,
} from "@aws-sdk/client-ec2";
import { efaInterfacesOf, firstEfaCardOf } from "#server/domain/interconnect.ts";
import type { CatalogEntry } from "../../shared/catalog-entry.ts";
import { Ec2Error } from "../ec2-error.ts";
import { compileFilters } from "../filters.ts";
import { takePage } from "../paging.ts";
import { defineAction } from "./action.ts";
import { stopDryRun } from "./instance-ids.ts";

export const describeInstanceTypes = defineAction<DescribeInstanceTypesRequest, DescribeInstanceTypesResult>({
	operation: DescribeInstanceTypes$,
	supports: ["InstanceTypes", "Filters", "MaxResults", "NextToken", "DryRun"],
	run(input, { world, region }) {
		stopDryRun(input.DryRun);
		const asked: readonly string[] = input.InstanceTypes ?? [];
		if (asked.length > 0 && input.MaxResults !== undefined) {
			throw new Ec2Error("InvalidParameterCombination", "The parameter InstanceTypes cannot be used with the parameter MaxResults");
		}
		const here = new Map(world.catalog.offersIn(region).map(({ entry }) => [entry.instanceType, entry]));
		const unknown = asked.filter((type) => !here.has(type));
		if (unknown.length > 0)
			throw new Ec2Error("InvalidInstanceType", `The following supplied instance types do not exist: [${unknown.join(", ")}]`);
		const matches = compileFilters<CatalogEntry>(input.Filters, {
			fields: {
				"instance-type": (entry) => [entry.instanceType],
				"supported-usage-class": (entry) => usageClasses(entry, region),
				"vcpu-info.default-vcpus": (entry) => [String(entry.vcpus)],
				"memory-info.size-in-mib": (entry) => [String(entry.memoryGiB * 1024)],
			},
		});
		const entries = [...here.values()].filter((entry) => (asked.length === 0 || asked.includes(entry.instanceType)) && matches(entry));
		const page = takePage(entries, (entry) => entry.instanceType, {
			action: "DescribeInstanceTypes",
			maxResults: input.MaxResults,
			nextToken: input.NextToken,
			min: 5,
			max: 100,
		});
		return { InstanceTypes: page.items.map((entry) => typeView(entry, region)), NextToken: page.nextToken };
	},
});

function usageClasses(entry: CatalogEntry, region: string): ("on-demand" | "spot")[] {
	const isSpot = entry.regions.some((place) => place.region === region && place.zones.some((zone) => zone.spotMicroUsdPerHour !== null));
	return isSpot ? ["on-demand", "spot"] : ["on-demand"];
}

function typeView(entry: CatalogEntry, region: string): InstanceTypeInfo {
	return {
		// The SDK's type lists the types known when it was built; the catalog may contain newer ones.
		InstanceType: entry.instanceType as NonNullable<InstanceTypeInfo["InstanceType"]>,
		SupportedUsageClasses: usageClasses(entry, region),
		VCpuInfo: { DefaultVCpus: entry.vcpus },
		MemoryInfo: { SizeInMiB: entry.memoryGiB * 1024 },
		GpuInfo: gpuView(entry),
		NetworkInfo: networkView(entry.instanceType),
	};
}

function networkView(instanceType: string): NetworkInfo {
	const efas = efaInterfacesOf(instanceType);
	const cards = Math.max(1, firstEfaCardOf(instanceType) + efas);
	return { EfaSupported: efas > 0, MaximumNetworkCards: cards, EfaInfo: efas > 0 ? { MaximumEfaInterfaces: efas } : undefined };
}

/** `H100-80GB` is reported as EC2 does: name H100, 81,920 MiB each. A model without a size reports none. */
function gpuView({ gpus, gpuModel }: CatalogEntry): GpuInfo | undefined {
	if (gpus === 0 || gpuModel === null) return undefined;
	const match = /^(.+)-(\d+)GB$/.exec(gpuModel);
	const memory = match ? Number(match[2]) * 1024 : undefined;
	const manufacturer = /^(MI\d|V520)/.test(gpuModel) ? "AMD" : "NVIDIA";
	return {
		Gpus: [
			{
				Name: match?.[1] ?? gpuModel,
				Manufacturer: manufacturer,
				Count: gpus,
				MemoryInfo: memory === undefined ? undefined : { SizeInMiB: memory },
			},
		],
		TotalGpuMemoryInMiB: memory === undefined ? undefined : memory * gpus,
	};
}
