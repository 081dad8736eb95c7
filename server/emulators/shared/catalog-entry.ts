import type { MicroUsd } from "#server/kernel/money.ts";

/** One instance type and where it is sold. A zone without a spot price does not sell it as spot. */
export interface CatalogEntry {
	instanceType: string;
	vcpus: number;
	memoryGiB: number;
	gpus: number;
	/** The project's accelerator name, e.g. `H100-80GB`; null for a machine without GPUs. */
	gpuModel: string | null;
	regions: readonly CatalogRegion[];
}

export interface CatalogRegion {
	region: string;
	onDemandMicroUsdPerHour: MicroUsd;
	zones: readonly { zone: string; spotMicroUsdPerHour: MicroUsd | null }[];
}
