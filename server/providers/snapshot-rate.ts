/** The part of the shipped price snapshot that a cloud driver needs: one row for a type in a region or one of its zones. */
export interface SnapshotRate {
	instanceType: string;
	region: string;
	zone: string | null;
	accelerator: string;
	gpus: number;
	vcpus: number;
	memoryGiB: number;
	onDemand: { microUsdPerHour: bigint; asOf: string; source: string };
	spot: { microUsdPerHour: bigint } | null;
}

/** The same, with the day and the source of the spot price. */
export type DatedRate = Omit<SnapshotRate, "spot"> & { spot: { microUsdPerHour: bigint; asOf: string; source: string } | null };
