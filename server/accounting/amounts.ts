import type { Charge } from "#server/domain/charge.ts";

/** The sums that a charge and its rollups carry. */
export type Amounts = Pick<
	Charge,
	| ("gpuMs" | "listMicroUsd" | "contractedMicroUsd" | "effectiveMicroUsd" | "billedMicroUsd")
	| ("energyMilliWh" | "measuredEnergyMilliWh" | "hourlyGridMilliWh")
	| ("emissionsMilligrams" | "marketEmissionsMilligrams" | "embodiedMilligrams")
>;

/** A charge before it has an id. */
export type ChargeDraft = Omit<Charge, "id" | "artifactId"> & Partial<Pick<Charge, "artifactId">>;

export const NO_AMOUNTS: Amounts = {
	gpuMs: 0n,
	listMicroUsd: 0n,
	contractedMicroUsd: 0n,
	effectiveMicroUsd: 0n,
	billedMicroUsd: 0n,
	energyMilliWh: 0n,
	measuredEnergyMilliWh: 0n,
	hourlyGridMilliWh: 0n,
	emissionsMilligrams: 0n,
	marketEmissionsMilligrams: 0n,
	embodiedMilligrams: 0n,
};

/** a + factor × b. Unknown emissions stay unknown. */
export function addScaled(a: Amounts, b: Amounts, factor: bigint): Amounts {
	return {
		gpuMs: a.gpuMs + factor * b.gpuMs,
		listMicroUsd: a.listMicroUsd + factor * b.listMicroUsd,
		contractedMicroUsd: a.contractedMicroUsd + factor * b.contractedMicroUsd,
		effectiveMicroUsd: a.effectiveMicroUsd + factor * b.effectiveMicroUsd,
		billedMicroUsd: a.billedMicroUsd + factor * b.billedMicroUsd,
		energyMilliWh: a.energyMilliWh + factor * b.energyMilliWh,
		measuredEnergyMilliWh: a.measuredEnergyMilliWh + factor * b.measuredEnergyMilliWh,
		hourlyGridMilliWh: a.hourlyGridMilliWh + factor * b.hourlyGridMilliWh,
		emissionsMilligrams: addKnown(a.emissionsMilligrams, b.emissionsMilligrams, factor),
		marketEmissionsMilligrams: addKnown(a.marketEmissionsMilligrams, b.marketEmissionsMilligrams, factor),
		embodiedMilligrams: addKnown(a.embodiedMilligrams, b.embodiedMilligrams, factor),
	};
}

function addKnown(a: bigint | null, b: bigint | null, factor: bigint): bigint | null {
	return a === null || b === null ? null : a + factor * b;
}

/** Increase between two readings of a running total. */
export function difference(later: Amounts, earlier: Amounts): Amounts {
	return addScaled(later, earlier, -1n);
}

export function negated(a: Amounts): Amounts {
	return addScaled(NO_AMOUNTS, a, -1n);
}

/** The share part / whole of every amount, rounded toward zero, so that a charge and its reversal match. */
export function shareOf(a: Amounts, part: bigint, whole: bigint): Amounts {
	const share = (value: bigint): bigint => (value * part) / whole;
	const known = (value: bigint | null): bigint | null => (value === null ? null : share(value));
	return {
		gpuMs: share(a.gpuMs),
		listMicroUsd: share(a.listMicroUsd),
		contractedMicroUsd: share(a.contractedMicroUsd),
		effectiveMicroUsd: share(a.effectiveMicroUsd),
		billedMicroUsd: share(a.billedMicroUsd),
		energyMilliWh: share(a.energyMilliWh),
		measuredEnergyMilliWh: share(a.measuredEnergyMilliWh),
		hourlyGridMilliWh: share(a.hourlyGridMilliWh),
		emissionsMilligrams: known(a.emissionsMilligrams),
		marketEmissionsMilligrams: known(a.marketEmissionsMilligrams),
		embodiedMilligrams: known(a.embodiedMilligrams),
	};
}
