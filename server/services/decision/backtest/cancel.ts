import { and, eq, inArray } from "drizzle-orm";
import { notify } from "#server/db/notify.ts";
import { backtest } from "#server/db/schema/backtest.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { noBacktest } from "./get.ts";
import { type BacktestView, viewOf } from "./view.ts";

/**
 * Cancels a queued or running backtest; its worker stops within a second.
 * @throws SpillwayError `forbidden`, `not_found`, `conflict` when it has ended.
 */
export async function cancelBacktest(ctx: ServiceContext, id: string): Promise<BacktestView> {
	authorize(ctx, "policy:edit", null);
	return ctx.db.transaction(async (tx) => {
		const [row] = await tx
			.update(backtest)
			.set({ state: "cancelled", finishedAt: new Date(ctx.clock.nowMs()) })
			.where(and(eq(backtest.id, id), inArray(backtest.state, ["queued", "running"])))
			.returning();
		if (row) {
			await writeAudit(tx, ctx, { action: "backtest.cancel", subject: id });
			await notify(tx, { background: true });
			return viewOf(row);
		}
		const [over] = await tx.select({ state: backtest.state }).from(backtest).where(eq(backtest.id, id));
		if (!over) throw noBacktest(id);
		throw new SpillwayError("conflict", `The backtest ${id} is already ${over.state}.`);
	});
}
