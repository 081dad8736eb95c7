import type { CapacityType, Provider, WorkloadClass } from "./vocabulary.ts";

/**
 * What a charge is for. `boot` and `staging` are machine time before the command runs, `compute` the time of the command,
 * `idle` owned capacity that no job used, `commitment` the unused part of reserved or committed capacity; `credit` and
 * `tax` come from invoices, `adjustment` corrects what was charged before.
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
] as const;
export type ChargeKind = (typeof CHARGE_KINDS)[number];

/** What a charge and its rollups are grouped by. Empty string: does not apply (idle capacity has no team). */
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

/** What sums are sliced by, beside team and capacity; "" is nothing more. */
export const SLICE_DIMENSIONS = ["", "project", "class", "site", "provider", "region", "accelerator", "kind"] as const;
export type SliceDimension = (typeof SLICE_DIMENSIONS)[number];

/** Why a charge corrects others; null on what was metered. */
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

/** A priced usage row in FOCUS's terms; insert-only. One of instanceId, allocationId, poolId or billLineId says what caused it. */
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
	/** A line of an imported bill: credits, taxes, and what was billed for none of our instances. */
	billLineId: string | null;
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
	/** The part of energyMilliWh that uses the grid's intensity of its hour; the rest with an average of a year. */
	hourlyGridMilliWh: bigint;
	/** Operational, location-based; null when no intensity is known for the place. */
	emissionsMilligrams: bigint | null;
	/** Operational, market-based (what the power contract says); null when nothing is known. */
	marketEmissionsMilligrams: bigint | null;
	/** The machine's manufacture, as far as this time and these GPUs answer for it; null when no one has published it. */
	embodiedMilligrams: bigint | null;
}
