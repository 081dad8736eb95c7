import { decide } from "#server/scheduling/decide.ts";
import type { DecideMemo, Plan, Snapshot } from "#server/scheduling/types.ts";
import { syncApprovals } from "#server/services/approval/sync.ts";
import { beginDueMoves } from "#server/services/attempt/request-move.ts";
import { requestCopies } from "#server/services/data-set/request-copies.ts";
import { newInputMemory } from "#server/services/explain/record-input.ts";
import { type ForecastMemory, newForecastMemory, recordForecasts } from "#server/services/forecast/record.ts";
import { newShadowMemory, recordShadow, type ShadowMemory } from "#server/services/shadow/record.ts";
import { loadSnapshot, SnapshotCache } from "#server/services/snapshot/load.ts";
import { type Applied, type ApplyMemory, applyPlan } from "./apply-plan.ts";
import type { LoopContext } from "./context.ts";
import { messageOf } from "./messages.ts";

/** What cycles hand on to each other; losing it costs one fuller read. */
export interface CycleMemory extends ApplyMemory {
	cache: SnapshotCache;
	forecasts: ForecastMemory;
	/** What the core keeps from decision to decision: of one leadership term, since a new leader starts with a new memory. */
	memo: DecideMemo;
	shadow: ShadowMemory;
}

export function newCycleMemory(): CycleMemory {
	return {
		cache: new SnapshotCache(),
		waiting: new Map(),
		inputs: newInputMemory(),
		homeFrees: new Map(),
		forecasts: newForecastMemory(),
		memo: { kept: new Map() },
		shadow: newShadowMemory(),
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
 * One pass: read, decide, write. Calls no driver. With `mayLaunch` false the launches of the plan are left to a later cycle,
 * which decides them anew; everything else goes on.
 */
export async function runCycle(ctx: LoopContext, memory: CycleMemory, { mayLaunch = true } = {}): Promise<CycleReport> {
	const t0 = performance.now();
	if ((await beginDueMoves(ctx.db, ctx.clock.nowMs())) > 0) ctx.probe("move:begun");
	const { snapshot } = await loadSnapshot(ctx, memory.cache);
	const t1 = performance.now();
	const plan = decideKeeping(snapshot, memory);
	const t2 = performance.now();
	const toApply = mayLaunch ? plan : { ...plan, actions: plan.actions.filter(({ kind }) => kind !== "launch") };
	const applied = await applyPlan(ctx, snapshot, toApply, memory);
	await syncApprovals(ctx.db, snapshot, plan);
	if ((await requestCopies(ctx.db, snapshot, plan)) > 0) applied.copies = true;
	await recordForecasts(ctx.db, snapshot, plan, memory.forecasts);
	await shadowBeside(ctx, snapshot, plan, memory.shadow);
	return {
		...applied,
		pending: snapshot.pending.length,
		actions: plan.actions.length,
		loadMs: t1 - t0,
		decideMs: t2 - t1,
		applyMs: performance.now() - t2,
	};
}

/** A draft on trial must not stop what is in force. */
async function shadowBeside(ctx: LoopContext, snapshot: Snapshot, plan: Plan, memory: ShadowMemory): Promise<void> {
	try {
		await recordShadow(ctx.db, snapshot, plan, memory);
	} catch (error) {
		ctx.log("warn", "the shadow decided nothing this time", { error: messageOf(error) });
	}
}

/** A decision that failed half-way may leave half of what it keeps behind: the next one starts anew. */
function decideKeeping(snapshot: Snapshot, { memo }: CycleMemory): Plan {
	try {
		return decide(snapshot, { memo });
	} catch (error) {
		memo.kept.clear();
		throw error;
	}
}
