import type { ChargeCorrection, ChargeKind } from "#server/domain/charge.ts";
import type { CapacityType, Provider } from "#server/domain/vocabulary.ts";

/** What charges with one cause share, as the export reads it. */
export interface ChargeCause {
	team: string;
	kind: ChargeKind;
	provider: Provider;
	siteId: string;
	region: string;
	capacityType: CapacityType;
	accelerator: string;
	jobId: string | null;
	attemptId: string | null;
	instanceId: string | null;
	allocationId: string | null;
	poolId: string | null;
	billLineId: string | null;
	artifactId: string | null;
	correction: ChargeCorrection | null;
}

/** What its own charge has. Times are FOCUS text (UTC, whole seconds), money and sums as the ledger has them. */
export interface ChargeOwn {
	id: string;
	periodStart: string;
	periodEnd: string;
	postedAt: string;
	/** Length of the period, ms. */
	lengthMs: bigint;
	/** It corrects a billing period that was over when it was posted. */
	correctsPastPeriod: boolean;
	gpuMs: bigint;
	listMicroUsd: bigint;
	contractedMicroUsd: bigint;
	effectiveMicroUsd: bigint;
	billedMicroUsd: bigint;
	energyMilliWh: bigint;
	measuredEnergyMilliWh: bigint;
	hourlyGridMilliWh: bigint;
	emissionsMilligrams: bigint | null;
	marketEmissionsMilligrams: bigint | null;
	embodiedMilligrams: bigint | null;
}

/** The billing period that an export is of: a month of the ledger's calendar, as FOCUS text. */
export interface BillingPeriod {
	start: string;
	end: string;
}

export interface InstanceFacts {
	/** The provider's id; ours while it is not known. */
	resourceId: string;
	zone: string | null;
	instanceType: string;
	gpus: number;
	vcpus: number;
	memoryGiB: number;
	/** The offer's id, under which the price list has it. */
	offerId: string;
	microUsdPerHour: bigint;
	/** List price on demand. */
	onDemandMicroUsdPerHour: bigint | null;
	/** Most expensive tier of data out, by GiB. */
	egressMicroUsdPerGiB: bigint;
	/** The disk that it was launched with; null where its price was not known. */
	disk: { type: string; gib: number; microUsdPerMonth: bigint } | null;
}

/** Reserved or committed capacity that was bought ahead. */
export interface CommitmentFacts {
	id: string;
	kind: "reservation" | "commitment";
	/** What one of its machines costs by the hour, amortised; null when no one wrote the commitment down. */
	microUsdPerHour: bigint | null;
}

/** What a line of a provider's bill says of itself. */
export interface BillLineFacts {
	description: string | null;
	serviceName: string;
	serviceCategory: string;
	serviceSubcategory: string | null;
	resourceId: string | null;
	resourceType: string | null;
}

/** A result in a store, with the prices of the store, earliest first. */
export interface StoredFacts {
	name: string;
	prices: readonly { fromMs: number; microUsdPerGiBMonth: bigint | null; microUsdPerGiBEgress: bigint | null }[];
}

/** All that a row says beside its charge. Charges of one cause share them. */
export interface ExportFacts {
	siteName: string;
	/** Of the charge itself, or of its allocation. */
	poolId: string | null;
	/** By the GPU and hour, of the allocation; null where the rate card says more than one number. */
	poolMicroUsdPerGpuHour: bigint | null;
	instance: InstanceFacts | null;
	commitment: CommitmentFacts | null;
	billLine: BillLineFacts | null;
	/** Of a result that a store keeps or delivered. */
	stored: StoredFacts | null;
	job: { project: string; class: string; name: string; labels: Readonly<Record<string, string>> } | null;
}
