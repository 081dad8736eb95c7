import { backtest, shadow } from "#server/contract/backtest.ts";
import { DEFAULT_POLICY } from "#server/domain/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { cancelBacktest } from "#server/services/decision/backtest/cancel.ts";
import { getBacktest } from "#server/services/decision/backtest/get.ts";
import { listBacktests } from "#server/services/decision/backtest/list.ts";
import { startBacktest } from "#server/services/decision/backtest/start.ts";
import { getShadow, type ShadowView } from "#server/services/decision/shadow/get.ts";
import { startShadow } from "#server/services/decision/shadow/start.ts";
import { stopRunningShadow } from "#server/services/decision/shadow/stop.ts";
import { bind } from "./bind.ts";

export const backtestOperations = {
	start: bind(backtest.start, startBacktest),
	list: bind(backtest.list, listBacktests),
	get: bind(backtest.get, (ctx, { id }) => getBacktest(ctx, id)),
	cancel: bind(backtest.cancel, (ctx, { id }) => cancelBacktest(ctx, id)),
};

export const shadowOperations = {
	get: bind(shadow.get, shadowOf),
	start: bind(shadow.start, async (ctx, input) => {
		await startShadow(ctx, input);
		return shadowOf(ctx, input);
	}),
	stop: bind(shadow.stop, async (ctx, input) => {
		await stopRunningShadow(ctx, input);
		return shadowOf(ctx, input);
	}),
};

async function shadowOf(ctx: ServiceContext, { name = DEFAULT_POLICY }: { name?: string | undefined }): Promise<ShadowView> {
	const view = await getShadow(ctx, { name });
	if (view) return view;
	throw new SpillwayError("not_found", `There are no shadow drafts of the policy "${name}".`, { fix: "POST one here." });
}
