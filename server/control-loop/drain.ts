import { and, eq, inArray } from "drizzle-orm";
import { attempt } from "#server/db/schema/attempt.ts";
import { reason } from "#server/domain/reasons.ts";
import { LIVE_ATTEMPT_STATES } from "#server/domain/states.ts";
import type { ClusterDriver } from "#server/providers/driver.ts";
import { requestStop } from "#server/services/work/attempt/request-stop.ts";
import { newClusterMemory, syncCluster } from "./cluster-sync.ts";
import type { LoopContext } from "./context.ts";
import { pause } from "./leadership.ts";

const LOOK_EVERY_MS = 100;

/**
 * Ends the attempts of a site that goes down with this host: each gets its grace to save a checkpoint, and its job is queued again with the
 * reason, to continue after the next start. Returns when all have ended, at the latest shortly after the grace period.
 */
export async function drainCluster(ctx: LoopContext, driver: ClusterDriver): Promise<void> {
	const memory = newClusterMemory();
	const live = () =>
		ctx.db
			.select({ id: attempt.id })
			.from(attempt)
			.where(and(eq(attempt.siteId, driver.siteId), inArray(attempt.state, [...LIVE_ATTEMPT_STATES])));
	for (const row of await live()) {
		await ctx.db.transaction((tx) => requestStop(tx, { attemptId: row.id, reason: reason("site_stopped"), atMs: ctx.clock.nowMs() }));
	}
	const until = performance.now() + ctx.timing.stopGraceMs + 2_000;
	while (performance.now() < until) {
		await syncCluster(ctx, driver, memory);
		if ((await live()).length === 0) return;
		await pause(LOOK_EVERY_MS);
	}
	ctx.log("warn", "some attempts did not end in time; they are looked for at the next start", { siteId: driver.siteId });
}
