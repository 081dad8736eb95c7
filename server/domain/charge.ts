import type { CapacityType, Provider, WorkloadClass } from "./vocabulary.ts";

/**
 * Kinds of charge. `boot` and `staging` are machine time before the command runs, `compute` the time of the command,
 * `idle` owned capacity that no job used, `kept_warm` time of a cloud machine without a job, `commitment` the unused part of reserved or committed capacity; `credit` and
 * `tax` come from invoices, `adjustment` corrects earlier charges.
 */
export const CHARGE_KINDS = [
	"compute",
	"idle",
	"egress",
	"storage",
	"adjustment",
	"boot",
	"staging",
	"commitment",
	"credit",
	"tax",
	"kept_warm",
] as const;
export type ChargeKind = (typeof CHARGE_KINDS)[number];

/** Dimensions of a charge and its rollups. Empty string: does not apply (idle capacity has no team). */
export interface ChargeDimensions {
	team: string;
	project: string;
	class: WorkloadClass | "";
	siteId: string;
	provider: Provider;
	region: string;
	capacityType: CapacityType;
	accelerator: string;
	kind: ChargeKind;
}

/** Dimensions that totals are sliced by, in addition to team and capacity. "": no further slice. */
export const SLICE_DIMENSIONS = ["", "project", "class", "site", "provider", "region", "accelerator", "kind"] as const;
export type SliceDimension = (typeof SLICE_DIMENSIONS)[number];

/** Why a charge corrects others; null on metered charges. */
export const CHARGE_CORRECTIONS = [
	"end_learnt_late",
	"use_learnt_late",
	"price_learnt_late",
	"bill_price",
	"bill_time",
	"bill_unknown",
	"rate_card",
	"refund",
] as const;
export type ChargeCorrection = (typeof CHARGE_CORRECTIONS)[number];

/** Whether a charge's `artifactId` is a data set copied between places. */
export function isCopyId(artifactId: string): boolean {
	return artifactId.startsWith("cpy_");
}

/** A priced usage row in FOCUS terms; insert-only. One of instanceId, allocationId, poolId,
 * billLineId or artifactId identifies its cause. */
export interface Charge {
	id: string;
	/** Half-open [start, end), UTC ms; never crosses an hour, so that it belongs to one bucket of each rollup. */
	periodStartMs: number;
	periodEndMs: number;
	dimensions: ChargeDimensions;
	jobId: string | null;
	attemptId: string | null;
	instanceId: string | null;
	allocationId: string | null;
	poolId: string | null;
	/** A line of an imported bill: credits, taxes, and amounts billed for instances that are not ours. */
	billLineId: string | null;
	/** A stored (`storage`) or delivered (`egress`) result (`art_…`), or a data set copied between places (`cpy_…`, `egress`). */
	artifactId: string | null;
	correction: ChargeCorrection | null;
	/** GPU-milliseconds metered: gpus × length. */
	gpuMs: bigint;
	listMicroUsd: bigint;
	contractedMicroUsd: bigint;
	effectiveMicroUsd: bigint;
	billedMicroUsd: bigint;
	energyMilliWh: bigint;
	/** The part of energyMilliWh that was measured; the rest is estimated from the accelerator's power. */
	measuredEnergyMilliWh: bigint;
	/** The part of energyMilliWh that uses the hourly grid intensity; the rest uses a yearly average. */
	hourlyGridMilliWh: bigint;
	/** Operational, location-based; null when the intensity is unknown for the place. */
	emissionsMilligrams: bigint | null;
	/** Operational, market-based (from the power contract); null when unknown. */
	marketEmissionsMilligrams: bigint | null;
	/** Share of the machine's manufacturing emissions for this time and these GPUs; null when no figure is published. */
	embodiedMilligrams: bigint | null;
}
