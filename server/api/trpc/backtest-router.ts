import { z } from "zod";
import { getShadowInput, startShadowInput } from "#server/contract/inputs/backtest.ts";
import { getShadow } from "#server/services/decision/shadow/get.ts";
import { startShadow } from "#server/services/decision/shadow/start.ts";
import { stopShadow } from "#server/services/decision/shadow/stop.ts";
import { procedure, router } from "./init.ts";

const byId = z.strictObject({ id: z.string().min(1).max(64) });

/** A draft that decides alongside the published policy on live work, and only records. */
export const shadowRouter = router({
	get: procedure.input(getShadowInput).query(({ ctx, input }) => getShadow(ctx.service, input)),
	start: procedure.input(startShadowInput).mutation(({ ctx, input }) => startShadow(ctx.service, input)),
	stop: procedure.input(byId).mutation(({ ctx, input }) => stopShadow(ctx.service, input.id)),
});
