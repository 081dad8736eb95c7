import type { MoveKind, Policy } from "#server/domain/policy.ts";
import type { JobVerdict } from "#server/policy/types.ts";
import { LIMITS } from "../limits.ts";
import { exceededLimit } from "../stop.ts";
import type { Action, RunningAttempt } from "../types.ts";
import { byAttemptId, isCloud, isSettledHere } from "./attempt-facts.ts";
import { cappedBudgets, capReactions } from "./cap-reactions.ts";
import { guardDeadlines } from "./deadline-guard.ts";
import { failOver } from "./failover.ts";
import { moveCheaper } from "./move-cheaper.ts";
import { movableFrom } from "./move-watch.ts";
import { type Mover, moverOf } from "./mover.ts";
import { needsGuard } from "./needs-guard.ts";
import { returnHome, roomToReturn } from "./return-home.ts";
import type { Movable, RunningInput } from "./types.ts";

/**
 * Actions on running attempts, in two steps of a cycle. `planUrgent`, before the queue: urgent actions (exceeded limits, budget caps,
 * failover, deadlines on spot). `planRunning`, after it: moves that save money, in the room that the queue leaves. An attempt gets at most
 * one action in both together, provided `settled` of the second contains the ids of the first.
 * Cost: urgent, nothing in the normal case, else one check of each watched attempt; moves, one comparison of numbers for each cloud attempt
 * (move-watch.ts), and a test of the maximum savings for those with a near checkpoint.
 */
export function planUrgent(input: RunningInput): Action[] {
	const { snapshot, settled } = input;
	const limitsOf = (attempt: RunningAttempt): JobVerdict["limits"] => input.shapeOf(attempt.spec).verdict.limits;
	const capped = cappedBudgets(input);
	const down = downPools(input);
	// Most cycles: nothing is at its cap or down, no limit can be exceeded yet, and no deadline depends on spot.
	if (capped.length === 0 && down.size === 0 && snapshot.nowMs < (input.quietUntilMs ?? Number.NEGATIVE_INFINITY)) return [];
	const stops: Action[] = [];
	const underCap: RunningAttempt[] = [];
	const lost: RunningAttempt[] = [];
	const onSpot: RunningAttempt[] = [];
	for (const attempt of input.watched ?? snapshot.running) {
		if (attempt.stopping || settled.has(attempt.attemptId)) continue;
		const why = exceededLimit(attempt, snapshot.nowMs, limitsOf);
		if (why) stops.push({ kind: "stop", jobId: attempt.jobId, attemptId: attempt.attemptId, reason: why });
		else if (!isSettledHere(attempt)) continue;
		else if (isCloud(attempt)) {
			if (capped.length > 0) underCap.push(attempt);
			if (needsGuard(attempt)) onSpot.push(attempt);
		} else if (attempt.spec.critical && down.has(attempt.placement.poolId)) lost.push(attempt);
	}
	const reactions = capped.length > 0 ? capReactions(input, capped, underCap) : [];
	const failovers = lost.sort(byAttemptId).flatMap((attempt) => failOver(input, attempt) ?? []);
	const ending = new Set(reactions.map((a) => a.jobId));
	const guarded = guardDeadlines(
		input,
		onSpot.filter((attempt) => !ending.has(attempt.jobId)),
	);
	return [...stops.sort(byJobId), ...reactions, ...failovers, ...guarded];
}

const NONE_DOWN: ReadonlySet<string | null> = new Set();

/** Pools on a site that has not responded for some time. */
function downPools({ snapshot }: RunningInput): ReadonlySet<string | null> {
	const longAgoMs = snapshot.nowMs - LIMITS.failoverAfterMs;
	const down = snapshot.pools.filter((pool) => !pool.healthy && (pool.unhealthySinceMs ?? longAgoMs) <= longAgoMs);
	return down.length === 0 ? NONE_DOWN : new Set(down.map((pool) => pool.id));
}

function byJobId(a: Action, b: Action): number {
	return a.jobId < b.jobId ? -1 : a.jobId > b.jobId ? 1 : 0;
}

export function planRunning(input: RunningInput): Action[] {
	const { snapshot, settled } = input;
	const kinds = moveKindsOf(snapshot.policy);
	if (kinds.size === 0) return [];
	const room = roomToReturn(input);
	if (!kinds.has("cheaper") && !(room.gpus >= 1)) return [];
	const may = input.movable?.(room) ?? allMovable(input);
	const moversOf = (attempts: readonly RunningAttempt[]): Mover[] =>
		attempts.flatMap((attempt) => (settled.has(attempt.attemptId) ? [] : (moverOf(input, attempt) ?? [])));
	const home = kinds.has("home") && may.home.length > 0 ? returnHome(input, moversOf(may.home), room) : [];
	if (!kinds.has("cheaper") || may.cheaper.length === 0) return home;
	const going = new Set(home.map((a) => a.jobId));
	return [...home, ...moveCheaper(input, moversOf(may.cheaper.filter(({ jobId }) => !going.has(jobId))))];
}

/** Without a watch: all attempts that may be affected. */
function allMovable(input: RunningInput): Movable {
	const all = input.snapshot.running.filter((attempt) => canMove(input, attempt));
	return { home: all, cheaper: all };
}

const kindsOf = new WeakMap<Policy, ReadonlySet<MoveKind>>();

function moveKindsOf(policy: Policy): ReadonlySet<MoveKind> {
	const known = kindsOf.get(policy) ?? new Set(policy.rules.flatMap(({ effect }) => (effect.kind === "move" ? effect.to : [])));
	kindsOf.set(policy, known);
	return known;
}

/** Cloud attempts past their first minutes, with a near checkpoint and no decision yet. */
function canMove({ snapshot, settled }: RunningInput, attempt: RunningAttempt): boolean {
	if (!isCloud(attempt) || !isSettledHere(attempt) || settled.has(attempt.attemptId)) return false;
	return movableFrom(attempt, snapshot.nowMs) <= snapshot.nowMs;
}
