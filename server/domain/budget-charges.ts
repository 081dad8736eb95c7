import type { ChargeKind } from "./charge.ts";
import { CAPACITY_TYPES, WORKLOAD_CLASSES } from "./vocabulary.ts";

/**
 * The charges that budgets count: of jobs, on machines of clouds. What bills bring for no one's machine, credits, taxes and
 * commitments that no one used are none. Of reserved capacity a budget counts what is billed (accounting/budget-cost.ts).
 */
export const CHARGES_OF_BUDGETS = {
	capacityType: CAPACITY_TYPES.filter((type) => type !== "owned"),
	class: [...WORKLOAD_CLASSES],
	kind: ["compute", "boot", "staging", "egress", "storage", "adjustment"] satisfies ChargeKind[] as ChargeKind[],
};
