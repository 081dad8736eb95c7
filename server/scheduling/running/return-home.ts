import { gpusOf } from "#server/domain/job.ts";
import { reason } from "#server/domain/reasons.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { LIMITS } from "../limits.ts";
import { restOfAttempt } from "../run-time.ts";
import type { Action, RunningAttempt, TimeSpread } from "../types.ts";
import { byAttemptId, costOfRest, delayCostMicroUsd, nextCheckpointOf, restAt } from "./attempt-facts.ts";
import { movingRule } from "./moving-rule.ts";
import type { RunningInput } from "./types.ts";

/** A cloud attempt that may go home, with what is left of it from its next checkpoint on. */
interface Homecomer {
	attempt: RunningAttempt;
	atMs: number;
	/** From now, as the room must be free so long; and from the checkpoint. */
	restNow: TimeSpread;
	restMs: number;
	/** Price in effect over the rest. */
	cloudMicroUsd: number;
	microUsdPerGpuHour: number;
}

/**
 * Cloud attempts that go on at home from their next checkpoint.
 *
 * saving = price in effect × P50 rest from the checkpoint on − delay weight × (restore + rest at home − rest);
 * The room would be taken by those who come after free GPUs ÷ GPUs that arrive per hour: when that is sooner than the job's
 * end, only that long counts as saved, and going out again (restore, boot, restore) is paid.
 * The run up to the checkpoint is paid either way, nothing is lost because it leaves at one, and home costs no cash.
 * A move is made when saving >= the rule's, and the P90 rest at home still meets a deadline.
 *
 * Room: only what the queue left, without delaying any job in it, beyond the headroom for those to come:
 * headroom = GPUs that arrive per hour × P90 boot time, to the nearest GPU, since whoever comes next would pay for the cloud otherwise.
 * Order: the dearest GPU-hour first (every GPU-hour of room then saves the most), then the longest rest, then by id.
 */
export function returnHome(input: RunningInput, candidates: readonly RunningAttempt[]): Action[] {
	let room = roomToReturn(input);
	const fitting = candidates.filter((attempt) => gpusOf(attempt.spec) <= room);
	if (fitting.length === 0) return [];
	const homecomers = fitting.flatMap((attempt) => homecomerOf(input, attempt) ?? []).sort(compareHomecomers);
	const actions: Action[] = [];
	const idleForMs = idleMs(input);
	for (const homecomer of homecomers) {
		const gpus = gpusOf(homecomer.attempt.spec);
		if (gpus > room) continue;
		const action = moveHome(input, homecomer, idleForMs);
		if (!action) continue;
		actions.push(action);
		room -= gpus;
	}
	return actions;
}

/** GPUs at home that work in the cloud may come back to. */
export function roomToReturn(input: RunningInput): number {
	return input.freeGpus() - headroomGpus(input);
}

/**
 * How long the last of the free GPUs stays free: F free, a GPUs asked for an hour in jobs of g GPUs. F ÷ a hours if nothing else
 * came free; where as much comes free as is asked for, room is a random walk with variance 2·a·g an hour, which needs about
 * F² ÷ (2·a·g) hours to use up F. The longer of the two.
 */
function idleMs({ snapshot, freeGpus }: RunningInput): number {
	const perHour = snapshot.arrivingGpusPerHour ?? 0;
	if (perHour <= 0 || snapshot.running.length === 0) return Number.POSITIVE_INFINITY;
	const meanGpus = snapshot.running.reduce((sum, { spec }) => sum + gpusOf(spec), 0) / snapshot.running.length;
	const free = freeGpus();
	return Math.max(free / perHour, free ** 2 / (2 * perHour * meanGpus)) * HOUR_MS;
}

export function headroomGpus({ snapshot }: RunningInput): number {
	return Math.round(Math.max(0, snapshot.arrivingGpusPerHour ?? 0) * (snapshot.cloudStartMs.p90Ms / HOUR_MS));
}

function homecomerOf(input: RunningInput, attempt: RunningAttempt): Homecomer | null {
	const { nowMs } = input.snapshot;
	const atMs = nextCheckpointOf(attempt, nowMs);
	if (atMs === null || atMs - nowMs > LIMITS.moveCheckpointWithinMs) return null;
	const restNow = restOfAttempt(attempt, nowMs, input.runTimeOf);
	const restMs = restAt(restNow, atMs - nowMs).p50Ms;
	const cloudMicroUsd = costOfRest(attempt, restMs);
	if (restMs === 0 || cloudMicroUsd === null || cloudMicroUsd <= 0) return null;
	const gpuHours = (gpusOf(attempt.spec) * restMs) / HOUR_MS;
	return { attempt, atMs, restNow, restMs, cloudMicroUsd, microUsdPerGpuHour: cloudMicroUsd / gpuHours };
}

function compareHomecomers(a: Homecomer, b: Homecomer): number {
	return b.microUsdPerGpuHour - a.microUsdPerGpuHour || b.restMs - a.restMs || byAttemptId(a.attempt, b.attempt);
}

function moveHome(input: RunningInput, homecomer: Homecomer, idleForMs: number): Action | null {
	const { snapshot } = input;
	const { attempt, atMs, restNow, restMs, cloudMicroUsd } = homecomer;
	// The cheapest check first: without any delay it would save this much.
	const { moves } = input.shapeOf(attempt.spec).verdict;
	if (!movingRule(moves, "home", cloudMicroUsd + delayCostMicroUsd(snapshot, restMs))) return null;
	const room = input.roomFor(attempt.spec, restNow);
	if (!room) return null;
	const atHomeMs = LIMITS.restoreMs + restMs / room.speed;
	const stayMs = Math.min(restMs, idleForMs);
	const outAgainMs = stayMs < restMs ? 2 * LIMITS.restoreMs + snapshot.cloudStartMs.p50Ms : 0;
	const savedMicroUsd = (cloudMicroUsd * (stayMs - outAgainMs)) / restMs;
	const savingMicroUsd = Math.floor(savedMicroUsd - delayCostMicroUsd(snapshot, atHomeMs - restMs + outAgainMs));
	const rule = movingRule(moves, "home", savingMicroUsd);
	const { deadlineMs } = attempt.spec;
	const lateMs = atMs + LIMITS.restoreMs + restAt(restNow, atMs - snapshot.nowMs).p90Ms / room.speed;
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
