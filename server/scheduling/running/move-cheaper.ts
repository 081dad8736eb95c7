import { reason } from "#server/domain/reasons.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { LIMITS } from "../limits.ts";
import { restOfAttempt } from "../run-time.ts";
import type { Action, RunningAttempt } from "../types.ts";
import { byAttemptId, costOfRest, delayCostMicroUsd, nextCheckpointOf, restAt, workDoneAt } from "./attempt-facts.ts";
import { movingRule } from "./moving-rule.ts";
import { pickOffer } from "./pick-offer.ts";
import type { RunningInput } from "./types.ts";

/**
 * Cloud attempts that go on at a cheaper offer from their next checkpoint.
 *
 * saving = score of the rest here − its score there (price, rework by each offer's record, its delay; carbon) − (boot + restore)
 * × (price there + delay weight). Where the offer that it runs on cannot be scored any more: price in effect × P50 rest − expected
 * cost of finishing there − delay weight × (boot + restore). The old instance is gone before the new one is asked for, so
 * no hour is paid twice. It must be an offer on which work of ours runs now: whether another can be had is known only by
 * asking, and a refusal would leave the job with neither. A job with a deadline stays: what it runs on is for its deadline to say (deadline-guard.ts).
 * Order: by id, since offers other than reserved ones do not run out by the plan.
 */
export function moveCheaper(input: RunningInput, candidates: readonly RunningAttempt[]): Action[] {
	const proven = new Set<string>();
	for (const { offerId, startedAtMs, stopping } of input.snapshot.running) {
		if (offerId && startedAtMs !== null && !stopping) proven.add(offerId);
	}
	return [...candidates].sort(byAttemptId).flatMap((attempt) => moveOne(input, attempt, proven) ?? []);
}

function moveOne(input: RunningInput, attempt: RunningAttempt, proven: ReadonlySet<string>): Action | null {
	const { snapshot } = input;
	const { nowMs } = snapshot;
	const atMs = nextCheckpointOf(attempt, nowMs);
	if (attempt.spec.deadlineMs !== null || atMs === null || atMs - nowMs > LIMITS.moveCheckpointWithinMs) return null;
	const rest = restAt(restOfAttempt(attempt, nowMs, input.runTimeOf), atMs - nowMs);
	const hereMicroUsd = costOfRest(attempt, rest.p50Ms);
	const { moves } = input.shapeOf(attempt.spec).verdict;
	if (hereMicroUsd === null || !movingRule(moves, "cheaper", hereMicroUsd)) return null;
	const work = { p50Ms: rest.p50Ms + LIMITS.restoreMs, p90Ms: rest.p90Ms + LIMITS.restoreMs };
	const picked = pickOffer(input, attempt, workDoneAt(attempt, atMs), work);
	if (!picked || !proven.has(picked.offer.id)) return null;
	const delayMs = picked.run.start.p50Ms + LIMITS.restoreMs;
	const goingMicroUsd =
		picked.advantageMicroUsd === null
			? picked.totalMicroUsd - hereMicroUsd
			: (Number(picked.offer.microUsdPerHour ?? 0n) * attempt.spec.nodes * delayMs) / HOUR_MS - picked.advantageMicroUsd;
	const savingMicroUsd = Math.floor(-goingMicroUsd - delayCostMicroUsd(snapshot, delayMs));
	const rule = movingRule(moves, "cheaper", savingMicroUsd);
	if (!rule) return null;
	picked.take();
	const { jobId, attemptId } = attempt;
	const facts = { ruleId: rule.ruleId, offerId: picked.offer.id, savingMicroUsd: String(savingMicroUsd) };
	const to = { kind: "cloud" as const, offerId: picked.offer.id };
	return { kind: "move", jobId, attemptId, atMs, to, holdMicroUsd: picked.holdMicroUsd, reason: reason("moving_cheaper", facts) };
}
