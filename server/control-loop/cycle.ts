import { decide } from "#server/scheduling/decide.ts";
import { beginDueMoves } from "#server/services/attempt/request-move.ts";
import { type ForecastMemory, newForecastMemory, recordForecasts } from "#server/services/forecast/record.ts";
import { loadSnapshot, SnapshotCache } from "#server/services/snapshot/load.ts";
import { type Applied, applyPlan, type WaitingMemory } from "./apply-plan.ts";
import type { LoopContext } from "./context.ts";

/** What cycles hand on to each other; losing it costs one fuller read. */
export interface CycleMemory {
	cache: SnapshotCache;
	waiting: WaitingMemory;
	forecasts: ForecastMemory;
}

export function newCycleMemory(): CycleMemory {
	return { cache: new SnapshotCache(), waiting: new Map(), forecasts: newForecastMemory() };
}

export interface CycleReport extends Applied {
	pending: number;
	actions: number;
	loadMs: number;
	decideMs: number;
	applyMs: number;
}

/** One pass: read, decide, write. Calls no driver. */
export async function runCycle(ctx: LoopContext, memory: CycleMemory): Promise<CycleReport> {
	const t0 = performance.now();
	if ((await beginDueMoves(ctx.db, ctx.clock.nowMs())) > 0) ctx.probe("move:begun");
	const { snapshot } = await loadSnapshot(ctx, memory.cache);
	const t1 = performance.now();
	const plan = decide(snapshot);
	const t2 = performance.now();
	const applied = await applyPlan(ctx, snapshot, plan, memory.waiting);
	await recordForecasts(ctx.db, snapshot, plan, memory.forecasts);
	return {
		...applied,
		pending: snapshot.pending.length,
		actions: plan.actions.length,
		loadMs: t1 - t0,
		decideMs: t2 - t1,
		applyMs: performance.now() - t2,
	};
}
