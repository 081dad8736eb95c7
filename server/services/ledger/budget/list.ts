import type { SpendForecast } from "#server/accounting/forecast.ts";
import type { BudgetPeriod, CapReaction } from "#server/domain/policy.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { type BudgetFigures, budgetFigures } from "./figures.ts";

export interface BudgetStatus {
	id: string;
	/** CEL over the job; "true" covers all jobs. */
	scope: string;
	period: BudgetPeriod;
	/** First day, e.g. `2026-11-01`. */
	periodKey: string;
	periodStartMs: number;
	periodEndMs: number;
	atCap: CapReaction;
	capMicroUsd: bigint;
	/** Charged in this period. */
	postedMicroUsd: bigint;
	/** Held for running instances. */
	heldMicroUsd: bigint;
	/** cap − posted − held; below 0 when the cap was lowered below the amount spent. */
	freeMicroUsd: bigint;
	/** Forecast cost at the end of the period; null with too little history. */
	forecast: SpendForecast | null;
}

/**
 * Budgets of the policy in force, in its order, with their current periods in the ledger's calendar.
 * @throws SpillwayError `unavailable` when no policy was published yet.
 */
export async function listBudgets(ctx: Pick<ServiceContext, "actor" | "db" | "clock">): Promise<BudgetStatus[]> {
	authorize(ctx, "budget:read", null);
	const { policy } = await activePolicy(ctx.db);
	return (await budgetFigures(ctx.db, policy.budgets, ctx.clock.nowMs())).map(toStatus);
}

export function toStatus({ rule, period, postedMicroUsd, heldMicroUsd, forecast }: BudgetFigures): BudgetStatus {
	return {
		...{ id: rule.id, scope: rule.scope, period: rule.period, periodKey: period.key },
		...{ periodStartMs: period.fromMs, periodEndMs: period.toMs, atCap: rule.atCap, capMicroUsd: rule.capMicroUsd },
		...{ postedMicroUsd, heldMicroUsd, freeMicroUsd: rule.capMicroUsd - postedMicroUsd - heldMicroUsd, forecast },
	};
}
