import type { TimeRange } from "#server/domain/decision.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { judgePlace } from "#server/policy/judge-place.ts";
import type { JobVerdict, Place } from "#server/policy/types.ts";
import { LIMITS } from "./limits.ts";
import { hardwareFacts, hardwareRemoval, type Machine, type Removal } from "./removal.ts";
import { PoolReplay, type Slotting } from "./replay.ts";
import { type RunTimeOf, restOfAttempt } from "./run-time.ts";
import { NodeTimeline } from "./timeline.ts";
import type { PoolView, RunningAttempt, Snapshot, TimeSpread } from "./types.ts";

/** A pool in the middle of the replay: what is free now, and both forecasts of what will be. */
export interface HomePool {
	view: PoolView;
	machine: Machine;
	place: Place;
	/** Free slot numbers of each node, ascending; what this plan gives away is taken out. */
	freeSlots: number[][];
	/** The replay in which everything takes its median time, and the one in which it takes its P90. */
	median: PoolReplay;
	late: PoolReplay;
}

/** Pools in the order in which equal starts are decided: the cheaper one first, then by id. */
export function openHome(snapshot: Snapshot, runTimeOf: RunTimeOf): HomePool[] {
	const byPool = new Map<string, RunningAttempt[]>();
	for (const attempt of snapshot.running) {
		const poolId = attempt.placement.poolId;
		if (poolId === null) continue;
		const list = byPool.get(poolId);
		if (list) list.push(attempt);
		else byPool.set(poolId, [attempt]);
	}
	return [...snapshot.pools]
		.sort((a, b) => compare(a.microUsdPerGpuHour, b.microUsdPerGpuHour) || compare(a.id, b.id))
		.map((view) => openPool(view, byPool.get(view.id) ?? [], snapshot.nowMs, runTimeOf));
}

function compare<T>(a: T, b: T): number {
	return a < b ? -1 : a > b ? 1 : 0;
}

function openPool(view: PoolView, attempts: readonly RunningAttempt[], nowMs: number, runTimeOf: RunTimeOf): HomePool {
	const busy = busySlots(attempts, nowMs, runTimeOf);
	const free = new Set(view.freeSlots);
	const freeSlots: number[][] = [];
	const median: NodeTimeline[] = [];
	const late: NodeTimeline[] = [];
	for (let node = 0; node < view.nodes; node++) {
		const slots: number[] = [];
		const rests: TimeSpread[] = [];
		for (let slot = node * view.gpusPerNode; slot < (node + 1) * view.gpusPerNode; slot++) {
			const rest = busy.get(slot);
			if (!rest && free.has(slot)) slots.push(slot);
			else rests.push(rest ?? FOREIGN_REST);
		}
		freeSlots.push(slots);
		const releases = (of: keyof TimeSpread): number[] => rests.map((rest) => nowMs + rest[of]);
		median.push(new NodeTimeline(nowMs, slots.length, releases("p50Ms")));
		late.push(new NodeTimeline(nowMs, slots.length, releases("p90Ms")));
	}
	const { accelerator, gpusPerNode: gpus, cpusPerNode: cpus = null, memoryGiBPerNode: memoryGiB = null } = view;
	return {
		view,
		machine: { accelerator, gpus, cpus, memoryGiB },
		place: { siteId: view.siteId, provider: view.provider ?? "local", region: null, instanceType: null, capacityType: "owned" },
		freeSlots,
		median: new PoolReplay(median, nowMs),
		late: new PoolReplay(late, nowMs),
	};
}

/** A slot that is neither free nor held by an attempt we know is someone else's: when it ends is not known. */
const FOREIGN_REST: TimeSpread = { p50Ms: LIMITS.defaultRunMs, p90Ms: LIMITS.defaultRunMs * LIMITS.defaultSpread };

function busySlots(attempts: readonly RunningAttempt[], nowMs: number, runTimeOf: RunTimeOf): Map<number, TimeSpread> {
	const busy = new Map<number, TimeSpread>();
	for (const attempt of attempts) {
		const rest = restOfAttempt(attempt, nowMs, runTimeOf);
		for (const slot of attempt.slots) {
			const known = busy.get(slot);
			busy.set(slot, known ? { p50Ms: Math.max(known.p50Ms, rest.p50Ms), p90Ms: Math.max(known.p90Ms, rest.p90Ms) } : rest);
		}
	}
	return busy;
}

/** Why this pool, even when empty, cannot take such a job; null when it can. */
export function poolRemoval(pool: HomePool, spec: JobSpec, verdict: JobVerdict): Removal | null {
	const why = hardwareRemoval(spec, pool.machine);
	if (why) return { ruleId: null, why, facts: hardwareFacts(spec, pool.machine, why) };
	if (spec.nodes > 1 && (!pool.view.multiNode || spec.nodes > pool.view.nodes)) {
		const nodes = pool.view.multiNode ? pool.view.nodes : 1;
		return { ruleId: null, why: "multi_node_unsupported", facts: { askedNodes: spec.nodes, nodes } };
	}
	return judgePlace(verdict, pool.place);
}

interface PoolStart {
	pool: HomePool;
	at: Slotting;
}

/** Where and when a job would start at home: by the median replay, and by the late one. */
export interface HomeStart extends PoolStart {
	late: PoolStart;
	range: TimeRange;
}

/**
 * The earliest start among the given pools that delays no job placed before it in the replay.
 * A job enters a gap only if even its P90 run time ends before the next reservation there.
 */
export function homeStart(pools: readonly HomePool[], spec: JobSpec, rest: TimeSpread, nowMs: number): HomeStart | null {
	const median = earliestOf(pools, "median", spec, rest);
	if (!median) return null;
	const late = median.at.startMs === nowMs ? median : (earliestOf(pools, "late", spec, rest) ?? median);
	const p50Ms = median.at.startMs;
	return { ...median, late, range: { p50Ms, p90Ms: Math.max(p50Ms, late.at.startMs) } };
}

function earliestOf(pools: readonly HomePool[], replay: "median" | "late", spec: JobSpec, rest: TimeSpread): PoolStart | null {
	let best: PoolStart | null = null;
	for (const pool of pools) {
		const at = pool[replay].findStart(spec.nodes, spec.resources.gpus, rest.p90Ms);
		if (at && (best === null || at.startMs < best.at.startMs)) best = { pool, at };
	}
	return best;
}

/** Later jobs may start only where that does not delay this one. */
export function reserveHome(start: HomeStart, spec: JobSpec, rest: TimeSpread): void {
	for (const node of start.at.nodes) start.pool.median.reserve(node, start.at.startMs, rest.p50Ms, spec.resources.gpus);
	for (const node of start.late.at.nodes) start.late.pool.late.reserve(node, start.late.at.startMs, rest.p90Ms, spec.resources.gpus);
}

/** The job starts now: the lowest free slots of its nodes are given to it. */
export function takeSlots(start: HomeStart, spec: JobSpec): number[] {
	return start.at.nodes.flatMap((node) => start.pool.freeSlots[node]?.splice(0, spec.resources.gpus) ?? []);
}
