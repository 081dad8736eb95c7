import { LIMITS } from "../limits.ts";
import { stateBeforeMove } from "../spot-guarantee/before-start.ts";
import { allowsSpotStart, marginMs } from "../spot-guarantee/safety.ts";
import type { RunningAttempt } from "../types.ts";
import type { PickedOffer } from "./pick-offer.ts";

/**
 * Whether the deadline of a running job still holds if it leaves at its next checkpoint for another offer: by the margin of
 * spot-guarantee/safety.ts, with the bound of work-bound.ts as the work left at the end of the stop's grace. Firm capacity needs a margin;
 * spot needs one that covers a start there and its loss. Without even that margin the job stays, because its current capacity is the best
 * for it.
 */
export function holdsDeadline(
	{ spec }: RunningAttempt,
	{ offer, run, stagingMs }: Pick<PickedOffer, "offer" | "run" | "stagingMs">,
	atMs: number,
): boolean {
	if (spec.deadlineMs === null) return true;
	const state = stateBeforeMove({ atMs: atMs + LIMITS.stopGraceMs, deadlineMs: spec.deadlineMs, stagingMs, run });
	if (state === null) return false;
	return offer.capacityType === "spot" ? allowsSpotStart(state) : marginMs(state) >= 0;
}
