import { reason } from "#server/domain/reasons.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { LIMITS } from "../limits.ts";
import { ratesOf } from "../records.ts";
import { restoreMsOf } from "../restore.ts";
import { restOfAttempt, workDoneAt } from "../run-time.ts";
import { allowsSpot, marginMs } from "../spot-guarantee/safety.ts";
import type { DeadlineState } from "../spot-guarantee/types.ts";
import type { Action, MoveTarget, RunningAttempt, TimeSpread } from "../types.ts";
import { boundedWorkMs, type KnownLength, shareWithin } from "../work-bound.ts";
import { byAttemptId, nextCheckpointOf } from "./attempt-facts.ts";
import { pickOffer } from "./pick-offer.ts";
import type { RunningInput } from "./types.ts";

/**
 * Spot attempts that must move to firm capacity now, so that their deadline holds whatever spot does. The rule is spot-guarantee/safety.ts,
 * with the P90 of the remaining run time as the bound on the work left. They go home if room and time allow it, else to on-demand or
 * reserved capacity. An attempt that misses its deadline even at its median stays: paying more would save nothing. Smallest margin first,
 * then by id.
 */
export function guardDeadlines(input: RunningInput, attempts: readonly RunningAttempt[]): Action[] {
	const due = attempts.flatMap((attempt) => dueOf(input, attempt) ?? []);
	if (due.length === 0) return [];
	return due
		.sort((a, b) => a.slackMs - b.slackMs || byAttemptId(a.state.attempt, b.state.attempt))
		.flatMap(({ state, slackMs }) => toFirm(input, state, slackMs) ?? []);
}

type GuardState = DeadlineState & { attempt: RunningAttempt; deadlineMs: number; rest: TimeSpread; length: KnownLength };

function dueOf(input: RunningInput, attempt: RunningAttempt): { state: GuardState; slackMs: number } | null {
	const state = stateOf(input, attempt);
	return state === null || allowsSpot(state) ? null : { state, slackMs: marginMs(state) };
}

function stateOf({ snapshot, runTimeOf }: RunningInput, attempt: RunningAttempt): GuardState | null {
	const { nowMs, cloudStartMs } = snapshot;
	const { deadlineMs, checkpoint } = attempt.spec;
	if (deadlineMs === null) return null;
	const unsavedMs = Math.max(0, workDoneAt(attempt, nowMs) - (attempt.savedMs ?? attempt.completedMs));
	const changeover = cloudStartMs.p90Ms + restoreMsOf(snapshot);
	const zoneId = attempt.offerId ?? "";
	const doneMs = workDoneAt(attempt, nowMs);
	const length = { total: runTimeOf(attempt.spec), doneMs, maxMs: attempt.spec.duration.maxMs };
	const rest = restOfAttempt(attempt, nowMs, runTimeOf);
	const leftMs = boundedWorkMs(rest, length, deadlineMs - nowMs - changeover - unsavedMs);
	if (leftMs === null) return null;
	return {
		attempt,
		rest,
		length,
		nowMs,
		deadlineMs,
		workLeftMs: leftMs + unsavedMs,
		unsavedMs,
		checkpointEveryMs: checkpoint?.intervalMs ?? Number.POSITIVE_INFINITY,
		changeoverMs: { onDemand: changeover, spot: changeover, home: restoreMsOf(snapshot) },
		nextChoiceWithinMs: LIMITS.nextChoiceWithinMs,
		on: { kind: "spot", zoneId, startingMs: attempt.startedAtMs === null ? cloudStartMs.p90Ms : 0 },
		// Once the margin is used up, spot's cost and behavior do not matter.
		zones: [],
		onDemandMicroUsdPerHour: null,
		home: null,
	};
}

/**
 * Whether the deadline is more likely to hold if the job leaves at its next checkpoint instead of now. Leaving now loses the work since the
 * last checkpoint for certain; staying risks that work and the work until then, but only if the machine is reclaimed. False for a known
 * length: there the margin already covers the loss.
 */
function isLaterSafer({ snapshot }: RunningInput, state: GuardState, checkpointMs: number): boolean {
	const { attempt, nowMs, deadlineMs, unsavedMs, rest, length, changeoverMs } = state;
	const stayMs = checkpointMs - nowMs;
	const { interruptionsPerHour } = ratesOf("spot", snapshot.offerRecords?.get(attempt.offerId ?? ""), nowMs);
	const kept = Math.exp((-attempt.spec.nodes * interruptionsPerHour * stayMs) / HOUR_MS);
	const firmMs = deadlineMs - nowMs - changeoverMs.onDemand;
	const inTime = (lostMs: number): number => shareWithin(rest, length, firmMs - lostMs);
	return kept * inTime(0) + (1 - kept) * inTime(unsavedMs + stayMs) > inTime(unsavedMs);
}

function toFirm(input: RunningInput, state: GuardState, slackMs: number): Action | null {
	const { attempt, rest, nowMs, deadlineMs, changeoverMs } = state;
	// The stop leaves time to save, but a checkpoint that the margin still allows is awaited anyway.
	const checkpointMs = nextCheckpointOf(attempt, nowMs);
	const awaits = checkpointMs !== null && (checkpointMs - nowMs <= Math.max(0, slackMs) || isLaterSafer(input, state, checkpointMs));
	const atMs = awaits ? checkpointMs : nowMs;
	const inTime = (changeMs: number, restMs: number): boolean => nowMs + LIMITS.stopGraceMs + changeMs + restMs <= deadlineMs;
	const move = (to: MoveTarget, holdMicroUsd: bigint, facts: { poolId: string } | { offerId: string }): Action => ({
		kind: "move",
		jobId: attempt.jobId,
		attemptId: attempt.attemptId,
		atMs,
		to,
		holdMicroUsd,
		reason: reason("moving_for_deadline", { ...facts, slackMs: Math.round(slackMs) }),
	});
	const room = input.roomFor(attempt, () => rest);
	if (room && inTime(changeoverMs.home, rest.p90Ms / room.speed)) {
		return move({ kind: "home", poolId: room.poolId, slots: room.take() }, 0n, { poolId: room.poolId });
	}
	if (!inTime(changeoverMs.onDemand, rest.p50Ms)) return null;
	const picked = pickOffer(input, attempt, workDoneAt(attempt, atMs), rest, "firm");
	if (!picked) return null;
	picked.take();
	return move({ kind: "cloud", offerId: picked.offer.id }, picked.holdMicroUsd, { offerId: picked.offer.id });
}
