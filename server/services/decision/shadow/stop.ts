import { and, eq, isNull } from "drizzle-orm";
import type { z } from "zod";
import { stopRunningShadowInput } from "#server/contract/inputs/backtest.ts";
import type { Tx } from "#server/db/client.ts";
import { shadow } from "#server/db/schema/shadow.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { runningShadow } from "./active.ts";

/** @throws SpillwayError `forbidden`, `not_found` when it does not run. */
export async function stopShadow(ctx: ServiceContext, id: string): Promise<void> {
	authorize(ctx, "policy:edit", null);
	await ctx.db.transaction((tx) => stop(tx, ctx, id));
}

/**
 * Stops any shadow of a policy.
 * @throws SpillwayError `forbidden`, `not_found` when none runs.
 */
export async function stopRunningShadow(ctx: ServiceContext, raw: z.input<typeof stopRunningShadowInput>): Promise<void> {
	authorize(ctx, "policy:edit", null);
	const { name } = stopRunningShadowInput.parse(raw);
	await ctx.db.transaction(async (tx) => {
		const running = await runningShadow(tx, name);
		if (!running) throw new SpillwayError("not_found", `The policy "${name}" has no running shadow.`);
		await stop(tx, ctx, running.id);
	});
}

async function stop(tx: Tx, ctx: ServiceContext, id: string): Promise<void> {
	const rows = await tx
		.update(shadow)
		.set({ stoppedAt: new Date(ctx.clock.nowMs()) })
		.where(and(eq(shadow.id, id), isNull(shadow.stoppedAt)))
		.returning({ id: shadow.id });
	if (rows.length === 0) throw new SpillwayError("not_found", `There is no running shadow ${id.slice(0, 64)}.`);
	await writeAudit(tx, ctx, { action: "shadow.stop", subject: id });
}
