import type { BudgetRule, CapRule } from "#server/domain/policy.ts";
import type { BudgetFile } from "#server/domain/policy-schema.ts";
import { defined } from "#server/kernel/assert.ts";

/** A valid budget as plain data: money per period is a budget, every other amount a cap. */
export function buildBudget(file: BudgetFile, line: number): { budget: BudgetRule; cap: null } | { budget: null; cap: CapRule } {
	const common = { id: file.id, scope: file.scope, line };
	if (file.burnRateUsdPerHour !== undefined)
		return { budget: null, cap: { ...common, kind: "burn_rate", microUsdPerHour: file.burnRateUsdPerHour } };
	if (file.instances !== undefined) return { budget: null, cap: { ...common, kind: "instances", count: file.instances } };
	const period = defined(file.period, "period of a valid budget");
	if (file.egressGiB !== undefined) return { budget: null, cap: { ...common, kind: "egress", period, gib: file.egressGiB } };
	return {
		budget: { ...common, period, capMicroUsd: defined(file.capUsd, "cap of a valid budget"), atCap: file.atCap ?? "hold" },
		cap: null,
	};
}
