import { reason } from "#server/domain/reasons.ts";
import type { Action, MoveTarget, RunningAttempt } from "../types.ts";
import { pickOffer } from "./pick-offer.ts";
import { restFromSaved } from "./rest-from-saved.ts";
import type { RunningInput } from "./types.ts";

/**
 * A critical job in an unresponsive pool continues in another pool that has room now, else at an offer if any burst rule lets
 * it leave home. It starts there only when the old attempt is known to have ended, so there is never a second one; unsaved work
 * is lost.
 */
export function failOver(input: RunningInput, attempt: RunningAttempt): Action | null {
	const { nowMs } = input.snapshot;
	const { doneMs, rest } = restFromSaved(input, attempt);
	const move = (to: MoveTarget, holdMicroUsd: bigint): Action => ({
		kind: "move",
		jobId: attempt.jobId,
		attemptId: attempt.attemptId,
		atMs: nowMs,
		to,
		holdMicroUsd,
		reason: reason("site_failover", { siteId: attempt.placement.siteId, poolId: attempt.placement.poolId }),
	});
	const room = input.roomFor(attempt, () => rest);
	if (room) return move({ kind: "home", poolId: room.poolId, slots: room.take() }, 0n);
	if (input.shapeOf(attempt.spec).verdict.burst.length === 0) return null;
	const picked = pickOffer(input, attempt, doneMs, rest);
	if (!picked) return null;
	picked.take();
	return move({ kind: "cloud", offerId: picked.offer.id }, picked.holdMicroUsd);
}
