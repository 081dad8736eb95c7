import { defined } from "#server/kernel/assert.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { listBudgets } from "#server/services/ledger/budget/list.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { type CompanyCaps, companyPolicy } from "./policy.ts";

/** Share of each cap that is already spent. */
const USED_PERCENT: CompanyCaps = { cloud: 88, foundation: 91, research: 94 };
const STEP_USD = 100;
/** Earlier in a month, such caps would hold every job. */
const ELAPSED_MIN_MS = 10 * DAY_MS;

/**
 * Lowers the caps for the rest of the month, so that budgets are nearly spent. Does nothing early in a month, or a
 * second time.
 */
export async function seedCaps(ctx: ServiceContext): Promise<void> {
	const budgets = await listBudgets(ctx);
	const [first] = budgets;
	if (!first || ctx.clock.nowMs() - first.periodStartMs < ELAPSED_MIN_MS || (await activePolicy(ctx.db)).version > 1) return;
	const capOf = (name: keyof CompanyCaps): number => {
		const { postedMicroUsd } = defined(
			budgets.find(({ id }) => id === `${name}-month`),
			`budget ${name}-month`,
		);
		return Math.ceil(Number(postedMicroUsd) / 1e6 / (USED_PERCENT[name] / 100) / STEP_USD) * STEP_USD;
	};
	await publishPolicy(ctx, {
		...{ name: "default", message: "Lower caps for the rest of the month, after last month's bill" },
		source: companyPolicy({ cloud: capOf("cloud"), foundation: capOf("foundation"), research: capOf("research") }),
	});
}
