import type { Charge } from "#server/domain/charge.ts";

/** The sums that a charge and its rollups carry. */
export type Amounts = Pick<
	Charge,
	"gpuMs" | "listMicroUsd" | "contractedMicroUsd" | "effectiveMicroUsd" | "billedMicroUsd" | "energyMilliWh" | "emissionsMilligrams"
>;

/** A charge before it has an id. */
export type ChargeDraft = Omit<Charge, "id">;

export const NO_AMOUNTS: Amounts = {
	gpuMs: 0n,
	listMicroUsd: 0n,
	contractedMicroUsd: 0n,
	effectiveMicroUsd: 0n,
	billedMicroUsd: 0n,
	energyMilliWh: 0n,
	emissionsMilligrams: 0n,
};

/** a + factor × b. Emissions that are not known stay unknown. */
export function addScaled(a: Amounts, b: Amounts, factor: bigint): Amounts {
	return {
		gpuMs: a.gpuMs + factor * b.gpuMs,
		listMicroUsd: a.listMicroUsd + factor * b.listMicroUsd,
		contractedMicroUsd: a.contractedMicroUsd + factor * b.contractedMicroUsd,
		effectiveMicroUsd: a.effectiveMicroUsd + factor * b.effectiveMicroUsd,
		billedMicroUsd: a.billedMicroUsd + factor * b.billedMicroUsd,
		energyMilliWh: a.energyMilliWh + factor * b.energyMilliWh,
		emissionsMilligrams:
			a.emissionsMilligrams === null || b.emissionsMilligrams === null ? null : a.emissionsMilligrams + factor * b.emissionsMilligrams,
	};
}

/** What was added between two readings of a running total. */
export function difference(later: Amounts, earlier: Amounts): Amounts {
	return addScaled(later, earlier, -1n);
}

export function negated(a: Amounts): Amounts {
	return addScaled(NO_AMOUNTS, a, -1n);
}
