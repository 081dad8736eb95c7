import { z } from "zod";
import { getShadowInput, listBacktestsInput, startBacktestInput, startShadowInput } from "#server/contract/inputs/backtest.ts";
import { cancelBacktest } from "#server/services/decision/backtest/cancel.ts";
import { getBacktest } from "#server/services/decision/backtest/get.ts";
import { listBacktests } from "#server/services/decision/backtest/list.ts";
import { startBacktest } from "#server/services/decision/backtest/start.ts";
import { getShadow } from "#server/services/decision/shadow/get.ts";
import { startShadow } from "#server/services/decision/shadow/start.ts";
import { stopShadow } from "#server/services/decision/shadow/stop.ts";
import { procedure, router } from "./init.ts";

const byId = z.strictObject({ id: z.string().min(1).max(64) });

export const backtestRouter = router({
	list: procedure.input(listBacktestsInput).query(({ ctx, input }) => listBacktests(ctx.service, input)),
	get: procedure.input(byId).query(({ ctx, input }) => getBacktest(ctx.service, input.id)),
	start: procedure.input(startBacktestInput).mutation(({ ctx, input }) => startBacktest(ctx.service, input)),
	cancel: procedure.input(byId).mutation(({ ctx, input }) => cancelBacktest(ctx.service, input.id)),
});

/** A draft that decides beside the published policy on live work, and only records. */
export const shadowRouter = router({
	get: procedure.input(getShadowInput).query(({ ctx, input }) => getShadow(ctx.service, input)),
	start: procedure.input(startShadowInput).mutation(({ ctx, input }) => startShadow(ctx.service, input)),
	stop: procedure.input(byId).mutation(({ ctx, input }) => stopShadow(ctx.service, input.id)),
});
