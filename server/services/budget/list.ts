import { periodOf } from "#server/accounting/calendar.ts";
import type { BudgetPeriod, CapReaction } from "#server/domain/policy.ts";
import { authorize } from "../authorize.ts";
import type { ServiceContext } from "../context.ts";
import { activePolicy } from "../policy/active.ts";
import { budgetViews } from "./views.ts";

export interface BudgetStatus {
	id: string;
	/** CEL over the job; "true" is everybody. */
	scope: string;
	period: BudgetPeriod;
	periodStartMs: number;
	periodEndMs: number;
	atCap: CapReaction;
	capMicroUsd: bigint;
	/** Charged in this period. */
	postedMicroUsd: bigint;
	/** Set aside for instances that live now. */
	heldMicroUsd: bigint;
	/** cap − posted − held; below 0 when the cap was lowered under what is spent. */
	freeMicroUsd: bigint;
}

/**
 * The budgets of the policy in force, in its order, with their current periods (UTC).
 * @throws SpillwayError `unavailable` when no policy was published yet.
 */
export async function listBudgets(ctx: Pick<ServiceContext, "actor" | "db" | "clock">): Promise<BudgetStatus[]> {
	authorize(ctx, "budget:read", null);
	const nowMs = ctx.clock.nowMs();
	const { policy } = await activePolicy(ctx.db);
	const views = new Map((await budgetViews(ctx.db, policy.budgets, nowMs)).map((v) => [v.id, v]));
	return policy.budgets.map((rule) => {
		const { fromMs, toMs } = periodOf(rule.period, nowMs);
		const { postedMicroUsd = 0n, heldMicroUsd = 0n } = views.get(rule.id) ?? {};
		return {
			id: rule.id,
			scope: rule.scope,
			period: rule.period,
			periodStartMs: fromMs,
			periodEndMs: toMs,
			atCap: rule.atCap,
			capMicroUsd: rule.capMicroUsd,
			postedMicroUsd,
			heldMicroUsd,
			freeMicroUsd: rule.capMicroUsd - postedMicroUsd - heldMicroUsd,
		};
	});
}
