import type { RollupSums } from "#server/accounting/rollup.ts";

/** Totals of a selection of charges. */
export const CHARGE_TOTALS = [
	...(["effectiveMicroUsd", "listMicroUsd", "contractedMicroUsd", "billedMicroUsd", "gpuMs"] as const),
	...(["energyMilliWh", "measuredEnergyMilliWh", "hourlyGridMilliWh", "emissionsMilligrams", "embodiedMilligrams"] as const),
	...(["emissionsUnknownGpuMs", "embodiedUnknownGpuMs", "charges"] as const),
] satisfies (keyof RollupSums)[];
export type ChargeTotals = Record<(typeof CHARGE_TOTALS)[number], bigint>;
