import type { CapacityType, Provider, WorkloadClass } from "./vocabulary.ts";

/** What a charge is for. FOCUS: ChargeCategory Usage; `idle` is owned capacity that no job used. */
export const CHARGE_KINDS = ["compute", "idle", "egress", "storage", "adjustment"] as const;
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

/** A priced usage row in FOCUS's terms; insert-only. One of instanceId, allocationId or poolId says what caused it. */
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
	/** GPU-milliseconds metered: gpus × length. */
	gpuMs: bigint;
	listMicroUsd: bigint;
	contractedMicroUsd: bigint;
	effectiveMicroUsd: bigint;
	billedMicroUsd: bigint;
	energyMilliWh: bigint;
	/** null when no intensity is known for the place. */
	emissionsMilligrams: bigint | null;
	/** How energy was found: measured, or estimated from the board power. */
	carbonQuality: "measured" | "estimated" | "average";
}
