import type { Charge } from "#server/domain/charge.ts";

/**
 * What a charge takes out of budgets: its effective cost, and of reserved capacity what is billed for the use itself. The price
 * of a commitment is paid whether a job runs or not, so no placement can spend it: a budget holds and counts what using it adds.
 */
export function budgetCost(
	charge: Pick<Charge, "effectiveMicroUsd" | "billedMicroUsd"> & { dimensions: Pick<Charge["dimensions"], "capacityType"> },
): bigint {
	return charge.dimensions.capacityType === "reserved" ? charge.billedMicroUsd : charge.effectiveMicroUsd;
}
