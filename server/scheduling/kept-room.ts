import { gpusOf, type JobSpec } from "#server/domain/job.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import type { Cycle } from "./cycle.ts";
import type { Finding } from "./finding.ts";
import { homeStartAt } from "./home.ts";
import type { HomePool } from "./home-pool.ts";
import type { QueuedJob } from "./order.ts";
import { endOfStop } from "./run-time.ts";
import type { KeptRoom } from "./types.ts";
import { homeReason } from "./why.ts";

/** How long room made by evictions stays reserved for one job, from the stop request and from the attempts' end. */
export const ROOM_VALID_MS = 10 * MINUTE_MS;

/** A stop request, as stored with the attempt that got it. */
export interface LeavingAttempt {
	stopReason: Reason | null;
	askedAtMs: number | null;
	endedAtMs: number | null;
}

/** The reserved rooms, by the job they were made for; if several were made for one job, the newest. */
export function keptRooms(leaving: Iterable<LeavingAttempt>, nowMs: number): Map<string, KeptRoom> {
	const rooms = new Map<string, KeptRoom>();
	const madeAt = new Map<string, number>();
	for (const { stopReason, askedAtMs, endedAtMs } of leaving) {
		if (stopReason?.code !== "evicted_for_deadline" && stopReason?.code !== "evicted_for_newcomer") continue;
		const { forJobId, poolId, slots, ruleId } = stopReason.facts;
		if (typeof forJobId !== "string" || typeof poolId !== "string" || typeof slots !== "string" || askedAtMs === null) continue;
		if (nowMs - (endedAtMs ?? askedAtMs) > ROOM_VALID_MS || askedAtMs < (madeAt.get(forJobId) ?? Number.NEGATIVE_INFINITY)) continue;
		madeAt.set(forJobId, askedAtMs);
		rooms.set(forJobId, { poolId, slots: slots.split(",").map(Number), ruleId: typeof ruleId === "string" ? ruleId : "" });
	}
	return rooms;
}

/**
 * Reserves the room that other jobs leave for a job: it starts when the last of them has ended, and until then the free part is reserved
 * for it. Null when that room is no longer possible (another job holds part of it, or its site does not respond). Then the job waits like
 * any other.
 */
export function findKeptRoom(cycle: Cycle, queued: QueuedJob): Finding | null {
	const room = queued.job.room ?? null;
	if (room === null) return null;
	const { core, snapshot } = cycle;
	const { spec } = queued.job;
	const shape = core.shapeOf(spec);
	const pool = shape.home.find(({ view }) => view.id === room.poolId);
	const place = pool && placeOf(pool, room.slots, spec);
	if (!place) return null;
	const { nodes, slots } = place;
	const leaving = slots.filter((slot) => !pool.isFree(slot));
	const base = { queued, shape, run: null, due: null, choice: null, putOffUntilMs: null, waitsOn: false };
	if (leaving.length === 0) {
		pool.takeSlots(slots);
		const home = { ...homeStartAt(pool, nodes, snapshot.nowMs), now: true, slots };
		return { ...base, start: home, eviction: null, outcome: "place_home", reason: homeReason(home, spec) };
	}
	const leavers = new Set(leaving.map((slot) => pool.leaverOf(slot)));
	if (leavers.has(null)) return null;
	pool.takeSlots(slots.filter((slot) => pool.isFree(slot)));
	const startMs = endOfStop(snapshot.nowMs).p50Ms;
	const why = reason("waiting_for_home", {
		startP50Ms: startMs,
		startP90Ms: startMs,
		ahead: cycle.waitingForHome,
		evicted: leavers.size,
		preemptRuleId: room.ruleId,
	});
	return { ...base, start: homeStartAt(pool, nodes, startMs), eviction: null, outcome: "wait", reason: why };
}

/** A placement of the job in these slots: the requested number, spread evenly over its nodes. Null if they do not fit. */
export function placeOf(pool: HomePool, given: readonly number[], spec: JobSpec): { slots: number[]; nodes: number[] } | null {
	const slots = [...new Set(given)].sort((a, b) => a - b);
	if (slots.length !== gpusOf(spec)) return null;
	const nodeOf = (slot: number): number => Math.floor(slot / pool.view.gpusPerNode);
	const nodes = [...new Set(slots.map(nodeOf))];
	const evenly = nodes.every((node) => slots.filter((slot) => nodeOf(slot) === node).length === spec.resources.gpus);
	return nodes.length === spec.nodes && evenly ? { slots, nodes } : null;
}
