import { reason } from "#server/domain/reasons.ts";
import { restoreMsOf } from "../restore.ts";
import { restOfAttempt, workDoneAt } from "../run-time.ts";
import type { Action, RunningAttempt, TimeSpread } from "../types.ts";
import { byAttemptId, isCloud, isSettledHere, nextCheckpointOf, restAt } from "./attempt-facts.ts";
import { pickOffer } from "./pick-offer.ts";
import { restFromSaved } from "./rest-from-saved.ts";
import type { RunningInput } from "./types.ts";

/**
 * Moves that people requested, at the job's next checkpoint, or now when none is announced. No saving is required, but everything else
 * that a start requires: at home, room that the queue leaves; in the cloud, an offer that policy, budgets and caps allow. Without such a
 * place the request stays, and the attempt stays where it is.
 */
export function moveAsRequested(input: RunningInput): Action[] {
	const requested = input.requested ?? input.snapshot.running.filter(({ moveRequest }) => moveRequest);
	return [...requested].sort(byAttemptId).flatMap((attempt) => moveOne(input, attempt) ?? []);
}

function moveOne(input: RunningInput, attempt: RunningAttempt): Action | null {
	const { jobId, attemptId, moveRequest, startedAtMs } = attempt;
	if (!moveRequest || startedAtMs === null || !isSettledHere(attempt) || input.settled.has(attemptId)) return null;
	const { by } = moveRequest;
	const { atMs, doneMs, rest } = continuationOf(input, attempt);
	if (moveRequest.to === "home") {
		const room = isCloud(attempt) ? input.roomFor(attempt, () => rest) : null;
		if (!room) return null;
		const to = { kind: "home" as const, poolId: room.poolId, slots: room.take() };
		return { kind: "move", jobId, attemptId, atMs, to, holdMicroUsd: 0n, reason: reason("moved_by_person", { by, poolId: room.poolId }) };
	}
	if (input.shapeOf(attempt.spec).verdict.burst.length === 0) return null;
	const picked = pickOffer(input, attempt, doneMs, rest);
	if (!picked) return null;
	picked.take();
	const to = { kind: "cloud" as const, offerId: picked.offer.id };
	const why = reason("moved_by_person", { by, offerId: picked.offer.id });
	return { kind: "move", jobId, attemptId, atMs, to, holdMicroUsd: picked.holdMicroUsd, reason: why };
}

/** When it leaves, and its work done and remaining then, the restore included. */
function continuationOf(input: RunningInput, attempt: RunningAttempt): { atMs: number; doneMs: number; rest: TimeSpread } {
	const { snapshot } = input;
	const { nowMs } = snapshot;
	const atMs = nextCheckpointOf(attempt, nowMs);
	if (atMs === null) return { atMs: nowMs, ...restFromSaved(input, attempt) };
	const then = restAt(restOfAttempt(attempt, nowMs, input.runTimeOf), (atMs - nowMs) * (attempt.speed ?? 1));
	const restoreMs = restoreMsOf(snapshot);
	return { atMs, doneMs: workDoneAt(attempt, atMs), rest: { p50Ms: then.p50Ms + restoreMs, p90Ms: then.p90Ms + restoreMs } };
}
