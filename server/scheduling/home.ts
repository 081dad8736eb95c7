import type { TimeRange } from "#server/domain/decision.ts";
import { needsInterconnect } from "#server/domain/interconnect.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { judgePlace } from "#server/policy/judge-place.ts";
import type { JobVerdict } from "#server/policy/types.ts";
import { HomePool, speedOf } from "./home-pool.ts";
import { mountRemovalOf } from "./mounts.ts";
import { hardwareFacts, hardwareRemoval, type Removal } from "./removal.ts";
import type { Slotting } from "./replay.ts";
import type { ForecastScale, PoolView, Snapshot, TimeSpread } from "./types.ts";

/** Pools in the order used to break ties between equal starts: cheaper work first, then by id. */
export function openHome(views: readonly PoolView[]): HomePool[] {
	const price = (view: PoolView): number => Number(view.microUsdPerGpuHour) / speedOf(view);
	return [...views].sort((a, b) => price(a) - price(b) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)).map((view) => new HomePool(view));
}

/** Why this pool, even when empty, cannot take such a job; null when it can. */
export function poolRemoval(pool: HomePool, spec: JobSpec, verdict: JobVerdict, mounts: Snapshot["mounts"]): Removal | null {
	const why = hardwareRemoval(spec, pool.machine);
	if (why) return { ruleId: null, why, facts: hardwareFacts(spec, pool.machine, why) };
	if (spec.nodes > 1 && (!pool.view.multiNode || spec.nodes > pool.view.nodes)) {
		const nodes = pool.view.multiNode ? pool.view.nodes : 1;
		return { ruleId: null, why: "multi_node_unsupported", facts: { askedNodes: spec.nodes, nodes } };
	}
	if (needsInterconnect(spec) && pool.view.interconnect === "none") return { ruleId: null, why: "hardware_interconnect", facts: {} };
	return mountRemovalOf(spec, mounts)(pool.view.siteId) ?? judgePlace(verdict, pool.place);
}

interface PoolStart {
	pool: HomePool;
	at: Slotting;
}

/** Where and when a job would start at home: by the median replay, and by the late replay. */
export interface HomeStart extends PoolStart {
	/** null: not computed. */
	late: PoolStart | null;
	/** The forecast as shown: the replay's, corrected by the error of earlier forecasts. */
	range: TimeRange;
	/** Its slots are free now. */
	now: boolean;
	/** Slots would be free earlier, but its data is not there yet. */
	waitsForData?: boolean;
	/** These exact slots, if they were reserved for it; no other job can take them. */
	slots?: readonly number[];
}

/**
 * The earliest start among the given pools that delays no job placed before it in the replay.
 * A job enters a gap only if even its P90 run time ends before the next reservation there.
 * Cost: one check of each node's free slots; if none fits, a search in one replay, or in both `withLate` (replay.ts).
 */
export function homeStart(
	pools: readonly HomePool[],
	spec: JobSpec,
	rest: TimeSpread,
	{ nowMs, forecastScale }: Pick<Snapshot, "nowMs" | "forecastScale">,
	withLate = true,
): HomeStart | null {
	for (const pool of pools) {
		const nodes = pool.findNow(spec.nodes, spec.resources.gpus, msIn(pool, rest.p90Ms));
		if (!nodes) continue;
		const at = { startMs: nowMs, nodes };
		return { pool, at, late: withLate ? { pool, at } : null, range: { p50Ms: nowMs, p90Ms: nowMs }, now: true };
	}
	const median = earliestOf(pools, "median", spec, rest);
	if (!median) return null;
	const late = withLate ? (earliestOf(pools, "late", spec, rest) ?? median) : null;
	const range = scaled(replayedRange({ at: median.at, late }), nowMs, forecastScale);
	return { pool: median.pool, at: median.at, late, range, now: false };
}

/** A start on these nodes at a known time. */
export function homeStartAt(pool: HomePool, nodes: number[], startMs: number): HomeStart {
	const start = { pool, at: { startMs, nodes } };
	return { ...start, late: start, range: { p50Ms: startMs, p90Ms: startMs }, now: false };
}

/** The start, delayed until its data is there. */
export function notBefore(start: HomeStart, readyAtMs: number): HomeStart {
	const { p50Ms, p90Ms } = start.range;
	if (readyAtMs <= p50Ms) return start;
	return { ...start, now: false, waitsForData: true, range: { p50Ms: readyAtMs, p90Ms: Math.max(p90Ms, readyAtMs) } };
}

/** Wall-clock time of this much work in a pool. */
export function restIn(pool: Pick<HomePool, "speed">, rest: TimeSpread): TimeSpread {
	return pool.speed === 1 ? rest : { p50Ms: msIn(pool, rest.p50Ms), p90Ms: msIn(pool, rest.p90Ms) };
}

function msIn(pool: Pick<HomePool, "speed">, restMs: number): number {
	return pool.speed === 1 ? restMs : Math.ceil(restMs / pool.speed);
}

function earliestOf(pools: readonly HomePool[], replay: "median" | "late", spec: JobSpec, rest: TimeSpread): PoolStart | null {
	let best: PoolStart | null = null;
	for (const pool of pools) {
		pool.refresh();
		const at = pool[replay].findStart(spec.nodes, spec.resources.gpus, msIn(pool, rest.p90Ms));
		if (at && (best === null || at.startMs < best.at.startMs)) best = { pool, at };
	}
	return best;
}

/** Results of the two replays before any correction. */
export function replayedRange({ at, late }: { at: Slotting; late: { at: Slotting } | null }): TimeRange {
	return { p50Ms: at.startMs, p90Ms: Math.max(at.startMs, late?.at.startMs ?? 0) };
}

/** The wait times the correction factor of this horizon; never before now, and P90 never before P50. */
export function scaled(range: TimeRange, nowMs: number, scale: ForecastScale | undefined): TimeRange {
	if (!scale) return range;
	const waitMs = range.p50Ms - nowMs;
	const step = scale.steps.find((s) => waitMs <= s.untilMs) ?? scale.steps.at(-1);
	if (!step) return range;
	const p50Ms = nowMs + Math.max(0, Math.round(waitMs * step.p50));
	return { p50Ms, p90Ms: Math.max(p50Ms, nowMs + Math.round((range.p90Ms - nowMs) * step.p90)) };
}

/** Later jobs may start only if that does not delay this one. */
export function reserveHome(start: HomeStart, spec: JobSpec, rest: TimeSpread, replayedMs = rest.p50Ms): void {
	const { pool, late } = start;
	for (const node of start.at.nodes) pool.median.reserve(node, start.at.startMs, msIn(pool, replayedMs), spec.resources.gpus);
	if (late === null) return;
	for (const node of late.at.nodes) late.pool.late.reserve(node, late.at.startMs, msIn(late.pool, rest.p90Ms), spec.resources.gpus);
}

/** Starts the job now, in the slots reserved for it or else in the lowest free ones of its nodes. */
export function takeSlots(start: HomeStart, spec: JobSpec): number[] {
	if (start.slots) return [...start.slots];
	return start.at.nodes.flatMap((node) => start.pool.take(node, spec.resources.gpus));
}
