import type { Charge } from "#server/domain/charge.ts";

/**
 * Amount of a charge that counts against budgets: its effective cost, or for reserved capacity the amount billed for
 * the use itself. A commitment is paid for whether a job runs or not, so placements cannot spend it: a budget only
 * holds and counts the additional cost of using it.
 */
export function budgetCost(
	charge: Pick<Charge, "effectiveMicroUsd" | "billedMicroUsd"> & { dimensions: Pick<Charge["dimensions"], "capacityType"> },
): bigint {
	return charge.dimensions.capacityType === "reserved" ? charge.billedMicroUsd : charge.effectiveMicroUsd;
}
