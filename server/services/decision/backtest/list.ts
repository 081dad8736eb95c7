import { desc, eq, getTableColumns } from "drizzle-orm";
import { z } from "zod";
import { backtest } from "#server/db/schema/backtest.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { DEFAULT_POLICY } from "#server/services/policy/active.ts";
import { policyName } from "#server/services/policy/input.ts";
import { type BacktestSummary, summaryOf } from "./view.ts";

export const listBacktestsInput = z.strictObject({
	name: policyName.default(DEFAULT_POLICY),
	limit: z.number().int().min(1).max(100).default(20),
});

/** Backtests of a policy, newest first, without their results. */
export async function listBacktests(ctx: ServiceContext, raw: z.input<typeof listBacktestsInput>): Promise<BacktestSummary[]> {
	authorize(ctx, "policy:edit", null);
	const { name, limit } = listBacktestsInput.parse(raw);
	const { result: _, source: __, ...columns } = getTableColumns(backtest);
	const rows = await ctx.db
		.select(columns)
		.from(backtest)
		.where(eq(backtest.policyName, name))
		.orderBy(desc(backtest.createdAt))
		.limit(limit);
	return rows.map(summaryOf);
}
