import type { RollupSums } from "#server/accounting/rollup.ts";
import type { SumsRow } from "../spend/read-sums.ts";

/** Energy and emissions of one side: owned hardware in use, idle owned hardware, or the clouds. */
export interface SideSums {
	gpuMs: bigint;
	energyMilliWh: bigint;
	/** Parts of energyMilliWh. */
	measuredEnergyMilliWh: bigint;
	hourlyGridMilliWh: bigint;
	/** Location-based, where known. */
	operationalMilligrams: bigint;
	embodiedMilligrams: bigint;
	/** GPU time without known emissions. */
	emissionsUnknownGpuMs: bigint;
	embodiedUnknownGpuMs: bigint;
}

/** Emissions of a group. Sums cover known emissions; the …UnknownGpuMs fields give the GPU time without a figure. */
export interface CarbonSums extends SideSums {
	/** The three sides; they add up to the totals. */
	owned: SideSums;
	idle: SideSums;
	cloud: SideSums;
	/** operational + embodied. */
	totalMilligrams: bigint;
	/** Market-based operational emissions, for the GPU time with a known power contract. */
	marketMilligrams: bigint;
	marketUnknownGpuMs: bigint;
}

/** The stored sums from which CarbonSums is computed. */
export const CARBON_COLUMNS = [
	...(["gpuMs", "energyMilliWh", "measuredEnergyMilliWh", "hourlyGridMilliWh"] as const),
	...(["emissionsMilligrams", "marketEmissionsMilligrams", "embodiedMilligrams"] as const),
	...(["emissionsUnknownGpuMs", "marketUnknownGpuMs", "embodiedUnknownGpuMs"] as const),
] as const satisfies (keyof RollupSums)[];
export type CarbonRow = Pick<SumsRow<(typeof CARBON_COLUMNS)[number]>, (typeof CARBON_COLUMNS)[number] | "capacityType" | "idle">;

const NO_SIDE: SideSums = {
	...{ gpuMs: 0n, energyMilliWh: 0n, measuredEnergyMilliWh: 0n, hourlyGridMilliWh: 0n },
	...{ operationalMilligrams: 0n, embodiedMilligrams: 0n, emissionsUnknownGpuMs: 0n, embodiedUnknownGpuMs: 0n },
};

/** Totals over rows of all capacity types. */
export function toCarbon(rows: Iterable<CarbonRow>): CarbonSums {
	const sums: CarbonSums = {
		...NO_SIDE,
		...{ owned: { ...NO_SIDE }, idle: { ...NO_SIDE }, cloud: { ...NO_SIDE } },
		...{ totalMilligrams: 0n, marketMilligrams: 0n, marketUnknownGpuMs: 0n },
	};
	for (const row of rows) {
		for (const side of [sums, sums[sideOf(row)]]) {
			side.gpuMs += row.gpuMs;
			side.energyMilliWh += row.energyMilliWh;
			side.measuredEnergyMilliWh += row.measuredEnergyMilliWh;
			side.hourlyGridMilliWh += row.hourlyGridMilliWh;
			side.emissionsUnknownGpuMs += row.emissionsUnknownGpuMs;
			side.embodiedUnknownGpuMs += row.embodiedUnknownGpuMs;
			side.operationalMilligrams += row.emissionsMilligrams;
			side.embodiedMilligrams += row.embodiedMilligrams;
		}
		sums.totalMilligrams += row.emissionsMilligrams + row.embodiedMilligrams;
		sums.marketMilligrams += row.marketEmissionsMilligrams;
		sums.marketUnknownGpuMs += row.marketUnknownGpuMs;
	}
	return sums;
}

function sideOf({ capacityType, idle }: CarbonRow): "owned" | "idle" | "cloud" {
	return capacityType !== "owned" ? "cloud" : idle ? "idle" : "owned";
}
