import { reason } from "#server/domain/reasons.ts";
import { SECOND_MS } from "#server/kernel/units.ts";
import type { CloudDriver, InstanceObservation, MachinePower } from "#server/providers/driver.ts";
import { createdNothing, DriverError } from "#server/providers/driver-errors.ts";
import { LIMITS } from "#server/scheduling/limits.ts";
import { markStarting, markStopping, recordStopped } from "#server/services/capacity/instance/keep-stopped.ts";
import { recordLaunchError } from "#server/services/capacity/instance/record-launch.ts";
import { giveUpWarm } from "#server/services/capacity/instance/warm.ts";
import { lockJobOf } from "#server/services/work/attempt/lock-job.ts";
import { requestStop } from "#server/services/work/attempt/request-stop.ts";
import type { LoopContext } from "./context.ts";
import { isOffOnPurpose, type LiveInstance } from "./live-instances.ts";
import { messageOf } from "./messages.ts";
import { backOffRefused, refusalReason } from "./refusal.ts";

/**
 * Stops a machine that is kept stopped once it is prepared, and starts it for its job. Each call is recorded first and repeated until the
 * provider shows its effect.
 */
export async function keepStopped(
	ctx: LoopContext,
	driver: CloudDriver,
	row: LiveInstance,
	seen: InstanceObservation | undefined,
): Promise<void> {
	if (!row.keepStopped || row.state !== "ready" || !seen) return;
	const { power } = driver;
	if (!power) return;
	// Azure goes on billing a machine that shut itself down.
	const isOff = seen.state === "stopped" && seen.billing.phase === "over";
	if (row.stopCalledAt !== null && row.stoppedFrom === null && isOff) {
		await recordStopped(ctx.db, row.id, stoppedAt(row, seen, ctx.clock.nowMs()));
		return ctx.probe("prewarm:stopped");
	}
	if (row.attemptId === null && row.stoppedFrom === null && readyForMs(ctx, row) >= LIMITS.prepareMs + LIMITS.stopMs) {
		return giveUp(ctx, row, "not stopped in time");
	}
	if (hasCalledJustNow(ctx, row)) return;
	if (row.attemptId === null) {
		if (seen.state === "running" && isPrepared(ctx, row)) await stopMachine(ctx, power, row);
	} else if (row.stoppedFrom !== null && seen.state === "stopped" && isOffOnPurpose(row)) await startMachine(ctx, power, row);
}

function hasCalledJustNow(ctx: LoopContext, { lastCallAt, stopCalledAt }: LiveInstance): boolean {
	return stopCalledAt !== null && lastCallAt !== null && ctx.clock.nowMs() - lastCallAt.getTime() < ctx.timing.callRetryMs;
}

/** Everything is fetched, failed or skipped, or it has taken too long. */
function isPrepared(ctx: LoopContext, row: LiveInstance): boolean {
	const isPending = (row.preparation ?? []).some(({ state }) => state === "pending");
	return !isPending || readyForMs(ctx, row) >= LIMITS.prepareMs;
}

function readyForMs(ctx: LoopContext, { readyAt }: LiveInstance): number {
	return readyAt === null ? 0 : ctx.clock.nowMs() - readyAt.getTime();
}

/** A machine that keeps running costs its full price, which the rule's budget has not reserved. */
async function giveUp(ctx: LoopContext, row: LiveInstance, message: string): Promise<void> {
	ctx.log("warn", "A machine cannot be stopped; ending it", { instanceId: row.id, message });
	const why = reason("kept_warm_over", { ruleId: row.warmRule, why: "stop_refused" });
	await ctx.db.transaction((tx) => giveUpWarm(tx, { instanceId: row.id, reason: why, atMs: ctx.clock.nowMs() }));
}

/** The provider's time if it gives a plausible one, which may be in whole seconds. */
function stoppedAt({ stopCalledAt }: LiveInstance, { billing }: InstanceObservation, nowMs: number): Date {
	const saidMs = billing.phase === "over" ? billing.untilMs : null;
	const calledMs = stopCalledAt?.getTime() ?? 0;
	const isPlausible = saidMs !== null && saidMs <= nowMs && saidMs >= calledMs - SECOND_MS;
	return new Date(isPlausible ? Math.max(saidMs, calledMs) : nowMs);
}

async function stopMachine(ctx: LoopContext, power: MachinePower, row: LiveInstance): Promise<void> {
	if (row.providerInstanceId === null || !(await markStopping(ctx.db, row, new Date(ctx.clock.nowMs())))) return;
	ctx.probe("prewarm:stop_marked");
	try {
		await power.stop(row.region, row.providerInstanceId);
	} catch (error) {
		if (!(error instanceof DriverError) || !createdNothing(error.kind)) throw error;
		return giveUp(ctx, row, error.message);
	}
	ctx.probe("prewarm:stop_answered");
}

async function startMachine(ctx: LoopContext, power: MachinePower, row: LiveInstance): Promise<void> {
	if (row.providerInstanceId === null || !(await markStarting(ctx.db, row, new Date(ctx.clock.nowMs())))) return;
	ctx.probe("prewarm:start_marked");
	try {
		await power.start(row.region, row.providerInstanceId);
	} catch (error) {
		return handleStartError(ctx, row, error);
	}
	ctx.probe("prewarm:start_answered");
}

/** A refused start ends the attempt like a refused launch. The next sync terminates the machine. */
async function handleStartError(ctx: LoopContext, row: LiveInstance, error: unknown): Promise<void> {
	const kind = error instanceof DriverError ? error.kind : "transient";
	const message = messageOf(error);
	if (!createdNothing(kind)) {
		await recordLaunchError(ctx.db, row.id, message);
		ctx.log("warn", "Start outcome unknown; retrying", { instanceId: row.id, kind, message });
		return;
	}
	ctx.log("info", "Start refused", { instanceId: row.id, kind, message });
	const { attemptId } = row;
	if (attemptId === null) return;
	await ctx.db.transaction(async (tx) => {
		await lockJobOf(tx, attemptId);
		const why = refusalReason(kind, { offerId: row.offer.id, message });
		if (!(await requestStop(tx, { attemptId, reason: why, atMs: ctx.clock.nowMs() }))) return;
		await backOffRefused(tx, ctx, row.offer.id, kind);
	});
}
