import type { ChargeCorrection, ChargeKind } from "#server/domain/charge.ts";
import type { CapacityType, Provider } from "#server/domain/vocabulary.ts";

/** Facts shared by charges with one cause, as the export reads them. */
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

/** Facts of a single charge. Times are FOCUS text (UTC, whole seconds), money and sums as in the ledger. */
export interface ChargeOwn {
	id: string;
	periodStart: string;
	periodEnd: string;
	postedAt: string;
	/** Length of the period, ms. */
	lengthMs: bigint;
	/** Whether it corrects a billing period that had ended when it was posted. */
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

/** The billing period of an export: a month of the ledger's calendar, as FOCUS text. */
export interface BillingPeriod {
	start: string;
	end: string;
}

export interface InstanceFacts {
	/** The provider's id; ours while that is unknown. */
	resourceId: string;
	zone: string | null;
	instanceType: string;
	gpus: number;
	vcpus: number;
	memoryGiB: number;
	/** The offer's id in the price list. */
	offerId: string;
	microUsdPerHour: bigint;
	/** On-demand list price. */
	onDemandMicroUsdPerHour: bigint | null;
	/** Most expensive egress tier, per GiB. */
	egressMicroUsdPerGiB: bigint;
	/** The disk that it was launched with; null when its price was unknown. */
	disk: { type: string; gib: number; microUsdPerMonth: bigint } | null;
}

/** Prepaid reserved or committed capacity. */
export interface CommitmentFacts {
	id: string;
	kind: "reservation" | "commitment";
	/** Amortized hourly cost of one of its machines; null when the commitment is not on record. */
	microUsdPerHour: bigint | null;
}

/** Contents of a line of a provider's bill. */
export interface BillLineFacts {
	description: string | null;
	serviceName: string;
	serviceCategory: string;
	serviceSubcategory: string | null;
	resourceId: string | null;
	resourceType: string | null;
}

/** A result in a store or a copied data set, with the prices of the store or of the source, earliest first. */
export interface StoredFacts {
	kind: "result" | "copy";
	name: string;
	prices: readonly { fromMs: number; microUsdPerGiBMonth: bigint | null; microUsdPerGiBEgress: bigint | null }[];
}

/** The contents of a row apart from its charge. Charges of one cause share them. */
export interface ExportFacts {
	siteName: string;
	/** Of the charge itself, or of its allocation. */
	poolId: string | null;
	/** Per GPU and hour, of the allocation; null if the rate card has more than one number. */
	poolMicroUsdPerGpuHour: bigint | null;
	instance: InstanceFacts | null;
	commitment: CommitmentFacts | null;
	billLine: BillLineFacts | null;
	/** For a result that a store keeps or delivers. */
	stored: StoredFacts | null;
	job: { project: string; class: string; name: string; labels: Readonly<Record<string, string>> } | null;
}
