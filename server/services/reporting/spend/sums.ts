import type { RollupSums } from "#server/accounting/rollup.ts";
import type { SumsRow } from "./read-sums.ts";

/** Money, time and CO2 of a group. Money is effective cost; owned + idle + cloud is the total. */
export interface SpendSums {
	/** Owned hardware while jobs used it. */
	ownedMicroUsd: bigint;
	/** Idle owned hardware. */
	idleMicroUsd: bigint;
	cloudMicroUsd: bigint;
	totalMicroUsd: bigint;
	/** The parts of cloudMicroUsd by capacity type. */
	spotMicroUsd: bigint;
	onDemandMicroUsd: bigint;
	reservedMicroUsd: bigint;
	/** GPU time that jobs held, on owned sites and in clouds. */
	gpuMs: bigint;
	ownedGpuMs: bigint;
	cloudGpuMs: bigint;
	/** The parts of cloudGpuMs by capacity type. */
	spotGpuMs: bigint;
	onDemandGpuMs: bigint;
	reservedGpuMs: bigint;
	idleGpuMs: bigint;
	energyMilliWh: bigint;
	/** Estimated, for GPU time with a known intensity. */
	emissionsMilligrams: bigint;
}

/** The stored sums from which SpendSums is computed. */
export const SPEND_COLUMNS = ["effectiveMicroUsd", "gpuMs", "energyMilliWh", "emissionsMilligrams"] as const satisfies (keyof RollupSums)[];
type SpendRow = SumsRow<(typeof SPEND_COLUMNS)[number]>;

export const NO_SPEND: SpendSums = {
	...{ ownedMicroUsd: 0n, idleMicroUsd: 0n, cloudMicroUsd: 0n, totalMicroUsd: 0n },
	...{ spotMicroUsd: 0n, onDemandMicroUsd: 0n, reservedMicroUsd: 0n },
	...{ gpuMs: 0n, ownedGpuMs: 0n, cloudGpuMs: 0n, spotGpuMs: 0n, onDemandGpuMs: 0n, reservedGpuMs: 0n, idleGpuMs: 0n },
	...{ energyMilliWh: 0n, emissionsMilligrams: 0n },
};

/** Totals over rows of all capacity types. */
export function toSpend(rows: Iterable<SpendRow>): SpendSums {
	const sums = { ...NO_SPEND };
	for (const row of rows) {
		const part = partOf(row);
		sums[`${part}MicroUsd`] += row.effectiveMicroUsd;
		sums[`${part}GpuMs`] += row.gpuMs;
		sums.energyMilliWh += row.energyMilliWh;
		sums.emissionsMilligrams += row.emissionsMilligrams;
	}
	sums.cloudMicroUsd = sums.spotMicroUsd + sums.onDemandMicroUsd + sums.reservedMicroUsd;
	sums.cloudGpuMs = sums.spotGpuMs + sums.onDemandGpuMs + sums.reservedGpuMs;
	sums.totalMicroUsd = sums.ownedMicroUsd + sums.idleMicroUsd + sums.cloudMicroUsd;
	sums.gpuMs = sums.ownedGpuMs + sums.cloudGpuMs;
	return sums;
}

function partOf({ capacityType, idle }: SpendRow): "owned" | "idle" | "spot" | "onDemand" | "reserved" {
	if (capacityType === "owned") return idle ? "idle" : "owned";
	return capacityType === "on_demand" ? "onDemand" : capacityType;
}
