import { gpusOf, type JobSpec } from "#server/domain/job.ts";
import { reason } from "#server/domain/reasons.ts";
import { cheapestVictims } from "../evict.ts";
import type { Holder, HomePool } from "../home-pool.ts";
import { LIMITS } from "../limits.ts";
import { restoreMsOf } from "../restore.ts";
import { restOfAttempt } from "../run-time.ts";
import type { Action, RunningAttempt } from "../types.ts";
import { byAttemptId, isSettledHere, nextCheckpointOf } from "./attempt-facts.ts";
import { leastSaving } from "./moving-rule.ts";
import type { RunningInput } from "./types.ts";

/** The job that a node is cleared for, and whether that outweighs the restores of the jobs that stop. */
export interface ClearFor {
	jobId: string;
	spec: JobSpec;
	ruleId: string;
	pays: (leaving: number) => boolean;
}

/** A node that has room once these attempts have left it. */
interface Clearing {
	pool: HomePool;
	node: number;
	/** Attempts that are not stopping yet. */
	leaving: readonly RunningAttempt[];
	/** GPU time of their pauses, ms. */
	lostMs: number;
}

/**
 * Enough GPUs are free at home for a job, but not on one node. Clears the node with the smaller jobs that lose the least, each at a near
 * checkpoint, into gaps of nodes that are at least as full. The sum of the squares of free slots per node only grows, so moves never cycle.
 * The room is not reserved: its job arrives at its next checkpoint, and a new job that takes it first would otherwise have left home. Only
 * attempts that a move rule lets go home, without a deadline, on one node, past their first minutes.
 * Null: no node can be cleared, or it does not pay. Cost: one check of each holder of each node that is neither empty nor full.
 */
export function clearNode(input: RunningInput, wanted: ClearFor): Action[] | null {
	let best: Clearing | null = null;
	for (const pool of input.shapeOf(wanted.spec).home) {
		if (!pool.view.healthy) continue;
		for (let node = 0; node < pool.freeOn.length; node++) {
			const found = clearingOf(input, pool, node, wanted.spec.resources.gpus);
			if (found && (best === null || found.lostMs < best.lostMs)) best = found;
		}
	}
	return best && wanted.pays(best.leaving.length) ? movesOf(input, best, wanted) : null;
}

function clearingOf(input: RunningInput, pool: HomePool, node: number, gpus: number): Clearing | null {
	const free = pool.freeOn[node] ?? 0;
	// A node reserved for a queued job belongs to that job.
	if (free === 0 || free >= gpus || pool.median.hasLater(node)) return null;
	let missing = gpus - free;
	const candidates: { attempt: RunningAttempt; gpus: number; lostMs: number }[] = [];
	for (const holder of pool.holdersOn(node)) {
		const { attempt } = holder;
		if (attempt === null) continue;
		const held = attempt.slots.length;
		if (!isSettledHere(attempt)) missing -= held;
		else if (canLeave(input, pool, holder, attempt, gpus))
			candidates.push({ attempt, gpus: held, lostMs: held * restoreMsOf(input.snapshot) });
	}
	if (missing <= 0) return { pool, node, leaving: [], lostMs: 0 };
	candidates.sort((a, b) => byAttemptId(a.attempt, b.attempt));
	const least = cheapestVictims(candidates, missing);
	if (!least) return null;
	const leaving = [...least.victims].sort(biggestFirst);
	return haveGaps(pool, node, leaving) ? { pool, node, leaving, lostMs: least.lostMs } : null;
}

function canLeave(input: RunningInput, pool: HomePool, { slots }: Holder, attempt: RunningAttempt, gpus: number): boolean {
	const { snapshot, settled, shapeOf } = input;
	const { spec, startedAtMs } = attempt;
	if (settled.has(attempt.attemptId) || spec.deadlineMs !== null || spec.nodes !== 1 || gpusOf(spec) >= gpus) return false;
	if (startedAtMs === null || snapshot.nowMs - startedAtMs < LIMITS.moveMinRunMs) return false;
	if (nextCheckpointOf(attempt, snapshot.nowMs) === null || slots.some((slot) => pool.holdersOf(slot) !== 1)) return false;
	return leastSaving(shapeOf(spec).verdict.moves, "home") < Number.POSITIVE_INFINITY;
}

function biggestFirst(a: RunningAttempt, b: RunningAttempt): number {
	return b.slots.length - a.slots.length || byAttemptId(a, b);
}

/** Whether all of them find gaps together. */
function haveGaps(pool: HomePool, from: number, leaving: readonly RunningAttempt[]): boolean {
	const free = Int32Array.from(pool.freeOn);
	for (const { slots } of leaving) {
		const node = gapFor(pool, free, from, slots.length);
		if (node === null) return false;
		free[node] = (free[node] ?? 0) - slots.length;
	}
	return true;
}

/** The fullest other node with this many free slots that is at least as full as the node being left. */
function gapFor(pool: HomePool, free: Int32Array, from: number, gpus: number): number | null {
	const most = pool.freeOn[from] ?? 0;
	let best: number | null = null;
	for (let node = 0; node < free.length; node++) {
		const there = free[node] ?? 0;
		if (node === from || there < gpus || there > most || pool.median.hasLater(node)) continue;
		if (best === null || there < (free[best] ?? 0)) best = node;
	}
	return best;
}

/** Attempts with a near checkpoint move now, the others in a later cycle, because a reserved place is idle until then. */
function movesOf(input: RunningInput, { pool, node, leaving }: Clearing, { jobId: forJobId, ruleId }: ClearFor): Action[] {
	const { nowMs } = input.snapshot;
	const poolId = pool.view.id;
	return leaving.flatMap((attempt): Action[] => {
		const { jobId, attemptId } = attempt;
		const gpus = attempt.slots.length;
		const atMs = nextCheckpointOf(attempt, nowMs);
		const to = atMs !== null && atMs - nowMs <= LIMITS.moveCheckpointWithinMs ? gapFor(pool, pool.freeOn, node, gpus) : null;
		if (atMs === null || to === null) return [];
		const rest = restOfAttempt(attempt, nowMs, input.runTimeOf);
		pool.median.reserve(to, nowMs, Math.ceil(rest.p50Ms / pool.speed), gpus);
		pool.late.reserve(to, nowMs, Math.ceil(rest.p90Ms / pool.speed), gpus);
		const slots = pool.take(to, gpus);
		const why = reason("moving_together", { forJobId, ruleId, poolId });
		return [{ kind: "move", jobId, attemptId, atMs, to: { kind: "home", poolId, slots }, holdMicroUsd: 0n, reason: why }];
	});
}
