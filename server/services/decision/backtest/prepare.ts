import { notify } from "#server/db/notify.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";

/**
 * Has the scheduler start a backtest worker ahead, for an editor that was opened. Without a request it ends after five minutes.
 * @throws SpillwayError `forbidden`.
 */
export async function prepareBacktest(ctx: ServiceContext): Promise<void> {
	authorize(ctx, "policy:edit", null);
	await notify(ctx.db, { backtestSoon: true });
}
