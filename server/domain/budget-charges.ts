import type { ChargeKind } from "./charge.ts";
import { CAPACITY_TYPES, WORKLOAD_CLASSES } from "./vocabulary.ts";

/**
 * Charges that count against budgets: those of jobs on cloud machines. Excluded: billed amounts without a machine of
 * ours, credits, taxes and unused commitments. Reserved capacity counts at the billed amount
 * (accounting/budget-cost.ts).
 */
export const CHARGES_OF_BUDGETS = {
	capacityType: CAPACITY_TYPES.filter((type) => type !== "owned"),
	class: [...WORKLOAD_CLASSES],
	kind: ["compute", "boot", "staging", "egress", "storage", "adjustment"] satisfies ChargeKind[] as ChargeKind[],
};
