import type { JobSpec } from "#server/domain/job.ts";
import type { BudgetRule, Policy } from "#server/domain/policy.ts";
import { judgeJob } from "#server/policy/judge-job.ts";

/** A step's job, and the maximum cost of all its runs. */
export interface StepNeed {
	spec: JobSpec;
	microUsd: bigint;
}

/** The budgets that cover the steps, with the sum of the maximum costs of each budget's own steps. */
export function budgetNeeds(policy: Policy, needs: readonly StepNeed[]): { rule: BudgetRule; microUsd: bigint }[] {
	const shares = new Map<string, { rule: BudgetRule; microUsd: bigint }>();
	for (const { spec, microUsd } of needs) {
		if (microUsd === 0n) continue;
		for (const rule of judgeJob(policy, spec).budgets)
			shares.set(rule.id, { rule, microUsd: (shares.get(rule.id)?.microUsd ?? 0n) + microUsd });
	}
	return [...shares.values()];
}
