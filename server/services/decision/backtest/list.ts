import { desc, eq, getTableColumns } from "drizzle-orm";
import type { z } from "zod";
import { listBacktestsInput } from "#server/contract/inputs/backtest.ts";
import { backtest } from "#server/db/schema/backtest.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { type BacktestSummary, summaryOf } from "./view.ts";

/** Backtests of a policy, newest first, without their results. */
export async function listBacktests(ctx: ServiceContext, raw: z.input<typeof listBacktestsInput>): Promise<BacktestSummary[]> {
	authorize(ctx, "policy:edit", null);
	const { name, limit } = listBacktestsInput.parse(raw);
	const { result: _, source: __, estimate: ___, ...columns } = getTableColumns(backtest);
	const rows = await ctx.db
		.select(columns)
		.from(backtest)
		.where(eq(backtest.policyName, name))
		.orderBy(desc(backtest.createdAt))
		.limit(limit);
	return rows.map(summaryOf);
}
