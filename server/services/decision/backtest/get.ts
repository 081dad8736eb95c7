import { eq } from "drizzle-orm";
import { backtest } from "#server/db/schema/backtest.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { type BacktestView, viewOf } from "./view.ts";

/**
 * A backtest with its progress, and its result when done. Restricted to people who may edit policies, since it names jobs of every team.
 * @throws SpillwayError `forbidden`, `not_found`
 */
export async function getBacktest(ctx: ServiceContext, id: string): Promise<BacktestView> {
	authorize(ctx, "policy:edit", null);
	const [row] = await ctx.db.select().from(backtest).where(eq(backtest.id, id));
	if (!row) throw noBacktest(id);
	return viewOf(row);
}

export function noBacktest(id: string): SpillwayError {
	return new SpillwayError("not_found", `There is no backtest ${id.slice(0, 64)}.`, {
		fix: "GET /policies/default/backtests lists the backtests of the default policy.",
	});
}
