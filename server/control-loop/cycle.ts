import { decide } from "#server/scheduling/decide.ts";
import type { DecideMemo, Plan, Snapshot } from "#server/scheduling/types.ts";
import { requestCopies } from "#server/services/capacity/data-set/request-copies.ts";
import { newInputMemory } from "#server/services/decision/explain/record-input.ts";
import { type ForecastMemory, newForecastMemory, recordForecasts } from "#server/services/decision/forecast/record.ts";
import { readCycleWork } from "#server/services/decision/scheduler/cycle-work.ts";
import { newShadowMemory, recordShadow, type ShadowMemory } from "#server/services/decision/shadow/record.ts";
import { loadSnapshot, SnapshotCache } from "#server/services/decision/snapshot/load.ts";
import { syncApprovals } from "#server/services/work/approval/sync.ts";
import { beginDueMoves } from "#server/services/work/attempt/request-move.ts";
import { advancePipelines } from "#server/services/work/pipeline/advance.ts";
import { stopCancelledJobs } from "#server/services/work/pipeline/cancel.ts";
import { stopTrialsEarly } from "#server/services/work/pipeline/stop-early.ts";
import { type Applied, type ApplyMemory, applyPlan } from "./apply-plan.ts";
import type { LoopContext } from "./context.ts";
import { isProcessEnd, messageOf } from "./messages.ts";
import { newPrewarmMemory, type PrewarmMemory, reviewPrewarm } from "./review-prewarm.ts";

/** State kept between cycles. Losing it costs one full read. */
export interface CycleMemory extends ApplyMemory {
	cache: SnapshotCache;
	forecasts: ForecastMemory;
	/** The decision core's memo. A new leader starts with an empty one. */
	memo: DecideMemo;
	shadow: ShadowMemory;
	prewarm: PrewarmMemory;
}

export function newCycleMemory(): CycleMemory {
	return {
		cache: new SnapshotCache(),
		waiting: new Map(),
		inputs: newInputMemory(),
		homeRoomSince: new Map(),
		forecasts: newForecastMemory(),
		memo: { kept: new Map() },
		shadow: newShadowMemory(),
		prewarm: newPrewarmMemory(),
	};
}

export interface CycleReport extends Applied {
	pending: number;
	actions: number;
	loadMs: number;
	decideMs: number;
	applyMs: number;
}

/**
 * One pass: load, decide, apply. Calls no driver. With `mayLaunch` false, launches are left to a later cycle, which decides
 * them again.
 */
export async function runCycle(ctx: LoopContext, memory: CycleMemory, { mayLaunch = true } = {}): Promise<CycleReport> {
	const t0 = performance.now();
	const work = await readCycleWork(ctx.db, ctx.clock.nowMs());
	if (work.moves && (await beginDueMoves(ctx.db, ctx.clock.nowMs())) > 0) ctx.probe("move:begun");
	if (work.pipelines) await tendPipelines(ctx);
	const { snapshot } = await loadSnapshot(ctx, memory.cache);
	const t1 = performance.now();
	const plan = decideWithMemo(snapshot, memory);
	const t2 = performance.now();
	const toApply = mayLaunch ? plan : { ...plan, actions: plan.actions.filter(({ kind }) => kind !== "launch") };
	const applied = await applyPlan(ctx, snapshot, toApply, memory);
	if (mayLaunch) for (const siteId of await keepWarm(ctx, snapshot, memory.prewarm)) applied.clouds.add(siteId);
	if (work.approvals || plan.asks) await syncApprovals(ctx.db, snapshot, plan);
	if ((await requestCopies(ctx.db, snapshot, plan)) > 0) applied.copies = true;
	await recordForecasts(ctx.db, snapshot, plan, memory.forecasts);
	if (work.shadow || memory.shadow.running) await recordShadowDecision(ctx, snapshot, plan, memory.shadow);
	return {
		...applied,
		pending: snapshot.pending.length,
		actions: plan.actions.length,
		loadMs: t1 - t0,
		decideMs: t2 - t1,
		applyMs: performance.now() - t2,
	};
}

async function tendPipelines(ctx: LoopContext): Promise<void> {
	await stopCancelledJobs(ctx.db, ctx.clock);
	await stopTrialsEarly(ctx.db, ctx.clock);
	await advancePipelines(ctx.db, { nowMs: ctx.clock.nowMs(), step: (at) => ctx.probe(`pipeline:${at}`) });
}

/** An error with machines that no job needs yet must not stop the jobs. */
async function keepWarm(ctx: LoopContext, snapshot: Snapshot, memory: PrewarmMemory): Promise<ReadonlySet<string>> {
	try {
		return await reviewPrewarm(ctx, snapshot, memory);
	} catch (error) {
		if (isProcessEnd(error)) throw error;
		ctx.log("error", "Could not review the prewarm rules", { error: messageOf(error) });
		return new Set();
	}
}

/** An error in a shadow policy must not stop the active one. */
async function recordShadowDecision(ctx: LoopContext, snapshot: Snapshot, plan: Plan, memory: ShadowMemory): Promise<void> {
	try {
		await recordShadow(ctx.db, snapshot, plan, memory);
	} catch (error) {
		ctx.log("warn", "The shadow policy could not decide in this cycle", { error: messageOf(error) });
	}
}

/** A failed decision may leave an inconsistent memo, so the next one starts with an empty memo. */
function decideWithMemo(snapshot: Snapshot, { memo }: CycleMemory): Plan {
	try {
		return decide(snapshot, { memo });
	} catch (error) {
		memo.kept.clear();
		throw error;
	}
}
