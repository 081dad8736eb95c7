import { gpusOf } from "#server/domain/job.ts";
import { reason } from "#server/domain/reasons.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { restoreMsOf } from "../restore.ts";
import { restOfAttempt } from "../run-time.ts";
import type { Shape } from "../shape.ts";
import type { Action, RunningAttempt, Snapshot, TimeSpread } from "../types.ts";
import { byAttemptId, delayCostMicroUsd, restAt } from "./attempt-facts.ts";
import { clearNode } from "./clear-node.ts";
import type { Mover } from "./mover.ts";
import { leastSaving, movingRule } from "./moving-rule.ts";
import type { RoomAtHome, RunningInput } from "./types.ts";

/** A cloud attempt that may go home, with its remaining run from its next checkpoint on. */
interface ReturningJob {
	attempt: RunningAttempt;
	shape: Shape;
	atMs: number;
	/** Median remaining run time from the checkpoint on, ms. */
	restMs: number;
	/** Price in effect × remaining run. */
	cloudMicroUsd: number;
	microUsdPerGpuHour: number;
}

/**
 * Cloud attempts that move home at their next checkpoint.
 *
 * saving = price in effect × P50 remaining from the checkpoint on − delay weight × (restore + remaining at home − remaining).
 * Later jobs would fill the room after free GPUs ÷ GPUs that arrive per hour. If that is before the job's end, only that time counts as
 * saved, and bursting again (restore, boot, restore) is subtracted. The run up to the checkpoint is paid in any case, leaving at a
 * checkpoint loses nothing, and home costs no cash.
 * A move is made when saving >= the rule's, and the P90 remaining at home still meets a deadline.
 *
 * Room: only what the queue leaves, without delaying any job in it, beyond the headroom for arrivals: headroom = GPUs that arrive per hour
 * × P90 boot time, to the nearest GPU, since arrivals would otherwise pay for the cloud.
 * Order: the most expensive GPU-hour first (every GPU-hour of room then saves the most), then the longest remaining run, then by id.
 * If enough is free in total, but not on one node, jobs already at home are packed together (clear-node.ts), one node per cycle.
 */
export function returnHome(input: RunningInput, candidates: readonly Mover[], { gpus: roomGpus, idleForMs }: RoomAtHome): Action[] {
	let room = roomGpus;
	const homecomers: ReturningJob[] = [];
	for (const mover of candidates) {
		const homecomer = gpusOf(mover.attempt.spec) <= room ? returnCandidate(input, mover) : null;
		if (homecomer) homecomers.push(homecomer);
	}
	if (homecomers.length === 0) return [];
	homecomers.sort(compareHomecomers);
	const actions: Action[] = [];
	// Clears one node per cycle, and does not retry for jobs that need at least as much as one that failed.
	let clearedFor = Number.POSITIVE_INFINITY;
	for (const homecomer of homecomers) {
		const gpus = gpusOf(homecomer.attempt.spec);
		if (gpus > room) continue;
		const action = moveHome(input, homecomer, idleForMs);
		if (action === null) continue;
		if (action === "no_room") {
			// Its cluster chooses where to start it.
			if (homecomer.attempt.homePoolId !== undefined) continue;
			const perNode = homecomer.attempt.spec.resources.gpus;
			if (perNode >= clearedFor) continue;
			const moves = clearFor(input, homecomer, idleForMs);
			if (moves) actions.push(...moves);
			clearedFor = moves ? 0 : perNode;
			continue;
		}
		actions.push(action);
		room -= gpus;
	}
	return actions;
}

/** Room at home for work that returns from the cloud. */
export function roomToReturn(input: RunningInput): RoomAtHome {
	return { gpus: input.freeGpus() - headroomGpus(input), idleForMs: idleMs(input) };
}

/**
 * How long the last of the free GPUs stays free, with F free and a GPUs requested per hour in jobs of g GPUs: F ÷ a hours if
 * nothing else became free. If as much becomes free as is requested, room is a random walk with variance 2·a·g per hour, which
 * needs about F² ÷ (2·a·g) hours to use up F. The longer of the two.
 */
function idleMs({ snapshot, freeGpus, runningGpus }: RunningInput): number {
	const perHour = snapshot.arrivingGpusPerHour ?? 0;
	if (perHour <= 0 || snapshot.running.length === 0) return Number.POSITIVE_INFINITY;
	const meanGpus = (runningGpus ?? snapshot.running.reduce((sum, { spec }) => sum + gpusOf(spec), 0)) / snapshot.running.length;
	const free = freeGpus();
	return Math.max(free / perHour, free ** 2 / (2 * perHour * meanGpus)) * HOUR_MS;
}

export function headroomGpus({ snapshot }: RunningInput): number {
	return Math.round(Math.max(0, snapshot.arrivingGpusPerHour ?? 0) * (snapshot.cloudStartMs.p90Ms / HOUR_MS));
}

function returnCandidate(input: RunningInput, { attempt, shape, atMs, restMs, hereMicroUsd: cloudMicroUsd }: Mover): ReturningJob | null {
	if (restMs === 0 || cloudMicroUsd === null || cloudMicroUsd <= 0) return null;
	// The cheapest check first.
	if (mostSavedAtHome(input.snapshot, shape, cloudMicroUsd, restMs) < leastSaving(shape.verdict.moves, "home")) return null;
	const gpuHours = (gpusOf(attempt.spec) * restMs) / HOUR_MS;
	return { attempt, shape, atMs, restMs, cloudMicroUsd, microUsdPerGpuHour: cloudMicroUsd / gpuHours };
}

/**
 * Upper bound on the savings of any move home, µ$: the whole price of the rest, in the fastest pool, assuming that no job
 * displaces it again. It grows with the rest. 1 µ$ covers the rounding of plain numbers. Minus infinity where no pool fits it.
 */
export function mostSavedAtHome(snapshot: Snapshot, shape: Shape, cloudMicroUsd: number, restMs: number): number {
	if (shape.home.length === 0) return Number.NEGATIVE_INFINITY;
	return cloudMicroUsd - delayCostMicroUsd(snapshot, shape, restoreMsOf(snapshot) + restMs / fastestOf(shape) - restMs) + 1;
}

/** PoolView.speed of the fastest pool that can take it; at least 1. */
export function fastestOf({ home }: Shape): number {
	let speed = 1;
	for (const pool of home) if (pool.speed > speed) speed = pool.speed;
	return speed;
}

function compareHomecomers(a: ReturningJob, b: ReturningJob): number {
	return b.microUsdPerGpuHour - a.microUsdPerGpuHour || b.restMs - a.restMs || byAttemptId(a.attempt, b.attempt);
}

function moveHome(input: RunningInput, homecomer: ReturningJob, idleForMs: number): Action | "no_room" | null {
	const { snapshot } = input;
	const { attempt, shape, atMs } = homecomer;
	const { moves } = shape.verdict;
	const most = savedAtHome(input, homecomer, idleForMs, fastestOf(shape));
	// There is room, but a move does not pay, so how long the room must be free need not be computed.
	if (most < leastSaving(moves, "home") && input.isRoomFor(attempt.spec)) return null;
	// From now on, because the room must be free that long.
	const restNow = (): TimeSpread => restOfAttempt(attempt, snapshot.nowMs, input.runTimeOf);
	const room = input.roomFor(attempt, restNow);
	if (!room) return "no_room";
	const savingMicroUsd = savedAtHome(input, homecomer, idleForMs, room.speed);
	const rule = movingRule(moves, "home", savingMicroUsd);
	const { deadlineMs } = attempt.spec;
	const lateMs = atMs + restoreMsOf(snapshot) + restAt(restNow(), (atMs - snapshot.nowMs) * (attempt.speed ?? 1)).p90Ms / room.speed;
	if (!rule || (deadlineMs !== null && lateMs > deadlineMs)) return null;
	const facts = { ruleId: rule.ruleId, poolId: room.poolId, savingMicroUsd: String(savingMicroUsd) };
	const to = { kind: "home" as const, poolId: room.poolId, slots: room.take() };
	return {
		kind: "move",
		jobId: attempt.jobId,
		attemptId: attempt.attemptId,
		atMs,
		to,
		holdMicroUsd: 0n,
		reason: reason("returning_home", facts),
	};
}

/** Cost at home at this speed, µ$. */
function savedAtHome({ snapshot }: RunningInput, { shape, restMs, cloudMicroUsd }: ReturningJob, idleForMs: number, speed: number): number {
	const stayMs = Math.min(restMs, idleForMs);
	const outAgainMs = stayMs < restMs ? 2 * restoreMsOf(snapshot) + snapshot.cloudStartMs.p50Ms : 0;
	const savedMicroUsd = (cloudMicroUsd * (stayMs - outAgainMs)) / restMs;
	return Math.floor(savedMicroUsd - delayCostMicroUsd(snapshot, shape, restoreMsOf(snapshot) + restMs / speed - restMs + outAgainMs));
}

/** The moves that make room for it on one node, if its savings exceed the cost of delaying the moved jobs. */
function clearFor(input: RunningInput, homecomer: ReturningJob, idleForMs: number): Action[] | null {
	const { snapshot } = input;
	const { shape } = homecomer;
	const { jobId, spec } = homecomer.attempt;
	const slowest = shape.home.reduce((least, pool) => Math.min(least, pool.speed), Number.POSITIVE_INFINITY);
	const savingMicroUsd = savedAtHome(input, homecomer, idleForMs, slowest);
	const rule = movingRule(shape.verdict.moves, "home", savingMicroUsd);
	if (!rule) return null;
	const eachMicroUsd = delayCostMicroUsd(snapshot, shape, restoreMsOf(snapshot));
	const pays = (leaving: number): boolean => movingRule(shape.verdict.moves, "home", savingMicroUsd - leaving * eachMicroUsd) !== null;
	return clearNode(input, { jobId, spec, ruleId: rule.ruleId, pays });
}
