import type { JobSpec } from "#server/domain/job.ts";
import type { BudgetBook } from "../budget.ts";
import type { HomePool } from "../home-pool.ts";
import type { Core } from "../memo.ts";
import type { Snapshot, TimeSpread } from "../types.ts";
import type { HomeRoom, RunningInput } from "./types.ts";

/** The input of one cycle, with the core and the budget book that its queue uses too. */
export function runningInput(snapshot: Snapshot, core: Core, budgets: BudgetBook, settled: ReadonlySet<string>): RunningInput {
	return {
		snapshot,
		proven: core.live.proven,
		watched: core.live.watched,
		requested: core.live.requested,
		movable: (room) => core.live.moves.movable({ snapshot, shapeOf: core.shapeOf, runTimeOf: core.runTimeOf }, room, core.live.proven),
		runningGpus: core.live.gpus,
		quietUntilMs: core.live.quietUntilMs,
		shapeOf: core.shapeOf,
		runTimeOf: core.runTimeOf,
		roomFor: ({ spec, homePoolId }, restOf) => {
			const pools = core.shapeOf(spec).home;
			return roomIn(homePoolId === undefined ? pools : pools.filter(({ view }) => view.id === homePoolId), spec, restOf, snapshot.nowMs);
		},
		isRoomFor: (spec) => spec.nodes === 1 && core.shapeOf(spec).home.some((pool) => pool.hasUnpromised(spec.resources.gpus)),
		freeGpus: () => core.pools.reduce((sum, pool) => sum + (pool.view.healthy ? pool.free : 0), 0),
		budgets,
		askApproval: core.askApproval,
		settled,
	};
}

/** Only an immediate start is useful, so no forecast is made: the first pool with nodes that stay free long enough. */
function roomIn(pools: readonly HomePool[], spec: JobSpec, restOf: () => TimeSpread, nowMs: number): HomeRoom | null {
	const { nodes: count, resources } = spec;
	for (const pool of pools) {
		if (!pool.hasRoom(count, resources.gpus)) continue;
		const rest = restOf();
		const nodes = pool.findNow(count, resources.gpus, Math.ceil(rest.p90Ms / pool.speed));
		if (!nodes) continue;
		const take = (): number[] => {
			for (const node of nodes) {
				pool.median.reserve(node, nowMs, Math.ceil(rest.p50Ms / pool.speed), resources.gpus);
				pool.late.reserve(node, nowMs, Math.ceil(rest.p90Ms / pool.speed), resources.gpus);
			}
			return nodes.flatMap((node) => pool.take(node, resources.gpus));
		};
		return { poolId: pool.view.id, speed: pool.speed, take };
	}
	return null;
}
