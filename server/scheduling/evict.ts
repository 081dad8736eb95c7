import { gpusOf } from "#server/domain/job.ts";
import { reason } from "#server/domain/reasons.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { JobVerdict } from "#server/policy/types.ts";
import type { Eviction } from "./eviction.ts";
import type { Holder, HomePool } from "./home-pool.ts";
import { LIMITS } from "./limits.ts";
import { canStillMakeIt, type QueuedJob } from "./order.ts";
import { roomFacts } from "./room-facts.ts";
import { endOfStop, type RunTimeOf, remainingOf, workDoneAt } from "./run-time.ts";
import type { Action, RunningAttempt, Snapshot } from "./types.ts";

/** The job that needs room, and where. */
export interface RoomRequest {
	queued: QueuedJob;
	verdict: JobVerdict;
	pools: readonly HomePool[];
	startMs: number;
	leaves: boolean;
	/** The job is only quoted: the room is found but not taken. */
	asked: boolean;
}

/** Cost of making room. `lostMs`: GPU time of work since the last checkpoint, and of restarting, ms. */
interface Cost {
	lostMs: number;
	victims: readonly RunningAttempt[];
}

/**
 * Makes room at home for jobs with a deadline too close to wait, by evicting running jobs of the classes in a preempt rule. It picks the
 * room that loses the least work, then the fewest victims. A gang gets all of its room or none. An attempt that stops, moves, or would miss
 * its own deadline stays.
 * A rule with `longerBy` makes room for a new job that would otherwise leave home, even without a deadline. Victims are no larger than it,
 * at least that many times as long, and have just saved their work: one pause is short compared with their length.
 * Spare room from a victim serves the next such job of the same cycle. The room is then reserved for the job (kept-room.ts): no job that
 * waited longer takes it, so no attempt is evicted twice for the same job.
 */
export class Evictions {
	readonly #snapshot: Snapshot;
	readonly #runTimeOf: RunTimeOf;
	/** Unclaimed slots that this cycle's victims leave, by node, ascending. */
	#left: Map<HomePool, Map<number, number[]>> | null = null;

	constructor(snapshot: Snapshot, runTimeOf: RunTimeOf) {
		this.#snapshot = snapshot;
		this.#runTimeOf = runTimeOf;
	}

	/**
	 * `startMs`: when home would start it without eviction. `leaves`: it would otherwise go to the cloud, and start there before
	 * home starts it.
	 * `settled`: attempts with an action; evicted ones are added.
	 */
	makeRoom({ queued, verdict, pools, startMs, leaves, asked }: RoomRequest, settled: Set<string>): Eviction | null {
		const { nowMs } = this.#snapshot;
		const goneMs = endOfStop(nowMs).p50Ms;
		if (verdict.preempt.length === 0) return null;
		const urgent = cannotWait(queued, startMs, nowMs);
		const rules = verdict.preempt.filter((rule) => (rule.longerBy === null ? urgent : leaves && startMs > goneMs));
		if (rules.length === 0) return null;
		let best: { pool: HomePool; nodes: number[]; cost: Cost } | null = null;
		for (const pool of pools) {
			const room = this.#roomIn(pool, queued, rules, settled);
			if (room && (best === null || isLess(room.cost, best.cost))) best = { pool, ...room };
		}
		if (!best) return null;
		const { pool, nodes, cost } = best;
		if (!asked) for (const victim of cost.victims) settled.add(victim.attemptId);
		const slots = asked ? [] : this.#claim(pool, nodes, queued.job.spec.resources.gpus, cost.victims);
		const first = cost.victims[0];
		const ruleId = rules.find((rule) => first === undefined || rule.classes.includes(first.spec.class))?.ruleId ?? "";
		return { pool, nodes, slots, victims: [...cost.victims], ruleId, urgent, startMs: goneMs };
	}

	#roomIn(
		pool: HomePool,
		queued: QueuedJob,
		rules: JobVerdict["preempt"],
		settled: ReadonlySet<string>,
	): { nodes: number[]; cost: Cost } | null {
		const { nodes: count, resources } = queued.job.spec;
		const rooms: { node: number; cost: Cost }[] = [];
		const forNewcomer = isForNewcomer(rules);
		const { nowMs } = this.#snapshot;
		const leftHere = this.#left?.get(pool);
		for (let node = 0; node < pool.freeOn.length; node++) {
			const left = leftHere?.get(node)?.length ?? 0;
			// Free slots on a node promised to an earlier job belong to that job.
			const promised = pool.median.hasLater(node);
			if (promised && left < resources.gpus) continue;
			const missing = resources.gpus - left - (promised ? 0 : (pool.freeOn[node] ?? 0));
			// Enough is free, but an earlier job needs it soon.
			if (missing <= 0 && left === 0) continue;
			// No attempt is evicted for a newcomer if it would lose much. Most would, until their next checkpoint.
			if (missing > 0 && forNewcomer && (allHaveMuchUnsaved(pool, node, nowMs) || tooFewLoseLittle(pool, node, missing, nowMs))) continue;
			const cost = missing <= 0 ? NOTHING : cheapestVictims(this.#candidates(pool, node, queued, rules, settled), missing);
			if (cost) rooms.push({ node, cost });
		}
		if (rooms.length < count) return null;
		const chosen = rooms.sort((a, b) => compareCost(a.cost, b.cost) || a.node - b.node).slice(0, count);
		const victims = [...new Set(chosen.flatMap(({ cost }) => cost.victims))];
		return { nodes: chosen.map(({ node }) => node).sort((a, b) => a - b), cost: { victims, lostMs: this.#lostOf(victims) } };
	}

	#candidates(pool: HomePool, node: number, queued: QueuedJob, rules: JobVerdict["preempt"], settled: ReadonlySet<string>): Candidate[] {
		const from = node * pool.view.gpusPerNode;
		const candidates: Candidate[] = [];
		const { nowMs } = this.#snapshot;
		const forNewcomer = isForNewcomer(rules);
		for (const holder of pool.holdersOn(node)) {
			if (forNewcomer && hasMuchUnsaved(holder, nowMs)) continue;
			const { attempt, slots } = holder;
			if (!attempt || attempt.stopping || (attempt.movingTo ?? null) !== null || settled.has(attempt.attemptId)) continue;
			if (!this.#makesRoom(attempt, queued, rules) || !this.#canSpare(attempt, queued)) continue;
			let gpus = 0;
			for (const slot of slots) if (slot >= from && slot < from + pool.view.gpusPerNode && pool.holdersOf(slot) === 1) gpus++;
			candidates.push({ attempt, gpus, lostMs: this.#lostOf([attempt]) });
		}
		return candidates.sort((a, b) => (a.attempt.attemptId < b.attempt.attemptId ? -1 : 1));
	}

	#makesRoom(attempt: RunningAttempt, queued: QueuedJob, rules: JobVerdict["preempt"]): boolean {
		for (const rule of rules) if (rule.classes.includes(attempt.spec.class) && this.#isLonger(attempt, queued, rule.longerBy)) return true;
		return false;
	}

	/** It has no deadline, or could redo all of its work after this job's late run and still finish in time. */
	#canSpare(attempt: RunningAttempt, queued: QueuedJob): boolean {
		const { deadlineMs, duration } = attempt.spec;
		if (deadlineMs === null) return true;
		const rest = remainingOf(this.#runTimeOf(attempt.spec), savedMs(attempt), duration.maxMs);
		return deadlineMs - this.#snapshot.nowMs - LIMITS.stopGraceMs - queued.rest.p90Ms - rest.p90Ms >= LIMITS.urgentSlackMs;
	}

	/** Whether its whole run so far is that many times as long as the newcomer's, and almost all of its work is saved. */
	#isLonger(attempt: RunningAttempt, queued: QueuedJob, longerBy: number | null): boolean {
		if (longerBy === null) return true;
		const { nowMs } = this.#snapshot;
		const { startedAtMs } = attempt;
		if (startedAtMs === null || attempt.spec.deadlineMs !== null || nowMs - startedAtMs < LIMITS.moveMinRunMs) return false;
		const wholeMs = workDoneAt(attempt, nowMs);
		const pauseMs = LIMITS.restoreMs + this.#snapshot.cloudStartMs.p50Ms;
		if (wholeMs < Math.max(longerBy * queued.rest.p50Ms, LIMITS.timesItsPause * pauseMs)) return false;
		// A large job does not make room for a small one: most of its slots would be idle.
		if (gpusOf(attempt.spec) > gpusOf(queued.job.spec) + this.#soonFilledGpus()) return false;
		return lostMs(attempt, nowMs) <= LIMITS.makeRoomLostMs;
	}

	/** GPUs that other jobs will have taken a few minutes from now. */
	#soonFilledGpus(): number {
		return Math.floor(((this.#snapshot.arrivingGpusPerHour ?? 0) * LIMITS.roomFilledWithinMs) / HOUR_MS);
	}

	#lostOf(attempts: readonly RunningAttempt[]): number {
		const restartMs = LIMITS.restoreMs + this.#snapshot.cloudStartMs.p50Ms;
		return attempts.reduce((sum, attempt) => sum + (lostMs(attempt, this.#snapshot.nowMs) + restartMs) * gpusOf(attempt.spec), 0);
	}

	/** Removes the job's own slots from this cycle's supply. The victims' other slots are available to the next job. */
	#claim(pool: HomePool, nodes: readonly number[], gpus: number, victims: readonly RunningAttempt[]): number[] {
		this.#left ??= new Map();
		const left = this.#left.get(pool) ?? new Map<number, number[]>();
		this.#left.set(pool, left);
		for (const slot of victims.flatMap((victim) => victim.slots)) {
			if (pool.holdersOf(slot) !== 1) continue;
			const node = Math.floor(slot / pool.view.gpusPerNode);
			left.set(node, [...(left.get(node) ?? []), slot]);
		}
		const claimed = nodes.flatMap((node) => {
			const fromLeft = (left.get(node) ?? []).sort((a, b) => a - b).splice(0, gpus);
			return [...fromLeft, ...pool.take(node, gpus - fromLeft.length)];
		});
		return claimed.sort((a, b) => a - b);
	}
}

/** Whether all of these rules make room for newcomers only, not for deadlines. */
function isForNewcomer(rules: JobVerdict["preempt"]): boolean {
	for (const { longerBy } of rules) if (longerBy === null) return false;
	return true;
}

/** Whether its forecast start is too late for its deadline, an eviction is sooner, and it can still meet the deadline. */
function cannotWait(queued: QueuedJob, startMs: number, nowMs: number): boolean {
	const { deadlineMs } = queued.job.spec;
	if (deadlineMs === null || startMs <= nowMs + queued.lateSlackMs || startMs <= nowMs + LIMITS.stopGraceMs) return false;
	return canStillMakeIt(queued.job, queued.rest, deadlineMs - nowMs - LIMITS.stopGraceMs);
}

interface Candidate {
	attempt: RunningAttempt;
	/** On the given node. */
	gpus: number;
	lostMs: number;
}

const NOTHING: Cost = { lostMs: 0, victims: [] };

/**
 * The candidates that release at least `missing` GPUs at the least loss, then the fewest of them. Exact: computes the best set for every
 * number of GPUs up to `missing`. Null if all of them together are not enough.
 */
export function cheapestVictims(candidates: readonly Candidate[], missing: number): Cost | null {
	let most = 0;
	for (const { gpus } of candidates) most += gpus;
	if (most < missing) return null;
	const best: (Cost | null)[] = Array.from({ length: missing + 1 }, (_, gpus) => (gpus === 0 ? NOTHING : null));
	for (const { attempt, gpus, lostMs } of candidates) {
		for (let want = missing; want > 0; want--) {
			const before = best[Math.max(0, want - gpus)];
			if (!before) continue;
			const cost = { lostMs: before.lostMs + lostMs, victims: [...before.victims, attempt] };
			const known = best[want];
			if (!known || isLess(cost, known)) best[want] = cost;
		}
	}
	return best[missing] ?? null;
}

function compareCost(a: Cost, b: Cost): number {
	return a.lostMs - b.lostMs || a.victims.length - b.victims.length;
}

function isLess(a: Cost, b: Cost): boolean {
	return compareCost(a, b) < 0;
}

/** Whether its attempt would lose more than a newcomer may cost. The loss only grows until the announced checkpoint. */
function hasMuchUnsaved(holder: Holder, nowMs: number): boolean {
	if (nowMs < holder.losesMuchUntilMs) return true;
	if (nowMs < holder.losesLittleUntilMs) return false;
	const { attempt } = holder;
	if (!attempt) return false;
	const { nextCheckpointAtMs = null, startedAtMs } = attempt;
	if (lostMs(attempt, nowMs) <= LIMITS.makeRoomLostMs) {
		// The loss is at most the time since the checkpoint before the announced one, until the announced one passes.
		const { checkpoint } = attempt.spec;
		if (nextCheckpointAtMs !== null && checkpoint !== null && startedAtMs !== null)
			holder.losesLittleUntilMs = Math.min(nextCheckpointAtMs, nextCheckpointAtMs - checkpoint.intervalMs + LIMITS.makeRoomLostMs);
		return false;
	}
	holder.losesMuchUntilMs = nextCheckpointAtMs ?? nowMs;
	return true;
}

/** Whether that holds for all attempts on a node; each is checked only after the first of their checkpoints has passed. */
function allHaveMuchUnsaved(pool: HomePool, node: number, nowMs: number): boolean {
	if (nowMs < (pool.losesMuchUntilMs[node] ?? 0)) return true;
	let untilMs = Number.POSITIVE_INFINITY;
	for (const holder of pool.holdersOn(node)) {
		if (!hasMuchUnsaved(holder, nowMs)) return false;
		untilMs = Math.min(untilMs, holder.losesMuchUntilMs);
	}
	pool.losesMuchUntilMs[node] = untilMs;
	return true;
}

/** Whether all holders with a small loss together hold fewer slots than needed. */
function tooFewLoseLittle(pool: HomePool, node: number, missing: number, nowMs: number): boolean {
	let slots = 0;
	for (const holder of pool.holdersOn(node)) {
		if (!hasMuchUnsaved(holder, nowMs)) slots += holder.slots.length;
		if (slots >= missing) return false;
	}
	return true;
}

/** Saved work of the job, ms. */
function savedMs(attempt: RunningAttempt): number {
	return attempt.savedMs ?? attempt.completedMs;
}

/** Run time that would be lost by ending now, ms: since the last checkpoint, or all of it without checkpoints. */
export function lostMs(attempt: RunningAttempt, nowMs: number): number {
	if (attempt.startedAtMs === null) return 0;
	const { nextCheckpointAtMs = null, spec, startedAtMs, completedMs, savedMs: saved, speed = 1 } = attempt;
	const ranMs = Math.max(0, nowMs - startedAtMs);
	// Unsaved run time includes its own restore, which is not lost twice.
	const unsavedMs = saved === undefined ? ranMs : Math.max(0, (completedMs - saved) / speed + ranMs);
	if (nextCheckpointAtMs === null || spec.checkpoint === null) return unsavedMs;
	return Math.min(unsavedMs, Math.max(0, nowMs - (nextCheckpointAtMs - spec.checkpoint.intervalMs)));
}

/** Actions on the victims. */
export function evictActions({ pool, slots, victims, ruleId, urgent }: Eviction, queued: QueuedJob): Action[] {
	const { jobId: forJobId } = queued.job;
	const room = roomFacts({ poolId: pool.view.id, slots });
	return victims.map(({ jobId, attemptId }) => ({
		kind: "evict",
		jobId,
		attemptId,
		forJobId,
		reason: urgent
			? reason("evicted_for_deadline", { forJobId, ruleId, ...room, slackMs: Math.floor(queued.lateSlackMs) })
			: reason("evicted_for_newcomer", { forJobId, ruleId, ...room }),
	}));
}
