import type { z } from "zod";
import { addBudgetInput } from "#server/contract/inputs/budget.ts";
import { DEFAULT_POLICY } from "#server/domain/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { fetchPointer } from "#server/services/policy/fetch-version.ts";
import { rejectManaged } from "#server/services/policy/guards.ts";
import { lockPolicy } from "../policy/write-version.ts";
import { type CapChanged, submitCap } from "./change-cap.ts";

/**
 * Adds a budget by publishing the policy again with one more entry, or proposes it when a second person must approve. Jobs that would
 * exceed it are held.
 * @throws SpillwayError `forbidden` (also where the policy is kept in git), `conflict` when a budget has this id, `invalid_input` when
 * the scope is no condition; ZodError.
 */
export async function addBudget(ctx: ServiceContext, raw: z.input<typeof addBudgetInput>): Promise<CapChanged> {
	authorize(ctx, "budget:change", null);
	const { id: budgetId, scope, period, capUsd, message } = addBudgetInput.parse(raw);
	return ctx.db.transaction(async (tx) => {
		await lockPolicy(tx, DEFAULT_POLICY);
		rejectManaged(await fetchPointer(tx, DEFAULT_POLICY), null);
		const active = await activePolicy(tx);
		if ([...active.policy.budgets, ...active.policy.caps].some((budget) => budget.id === budgetId))
			throw new SpillwayError("conflict", `The active policy already has a budget "${budgetId}".`, { fix: "Choose another name." });
		return submitCap(tx, ctx, { active, message, budgetId, fromMicroUsd: 0n, toMicroUsd: usdToMicro(capUsd), added: { scope, period } });
	});
}
