import { LIMITS } from "../limits.ts";
import { bearsSpotStart, marginMs } from "../spot-guarantee/safety.ts";
import type { DeadlineState } from "../spot-guarantee/types.ts";
import type { RunningAttempt } from "../types.ts";
import type { PickedOffer } from "./pick-offer.ts";

/**
 * Whether the deadline of a running job holds all the same when it leaves at its next checkpoint for another offer: by the margin of
 * spot-guarantee/safety.ts, with the P90 of the rest as the work left, as it stands when the stop's grace is over. Firm capacity needs a margin;
 * spot one that bears a start there and its loss. Where even that margin is gone the job stays: what it runs on is the best for it.
 */
export function holdsDeadline(
	{ spec }: RunningAttempt,
	{ offer, run, stagingMs }: Pick<PickedOffer, "offer" | "run" | "stagingMs">,
	atMs: number,
): boolean {
	if (spec.deadlineMs === null) return true;
	// The run's rest begins with the restore.
	const changeover = run.start.p90Ms + stagingMs + LIMITS.restoreMs;
	const workLeftMs = Math.max(0, run.rest.p90Ms - LIMITS.restoreMs);
	const state: DeadlineState = {
		nowMs: atMs + LIMITS.stopGraceMs,
		deadlineMs: spec.deadlineMs,
		workLeftMs,
		unsavedMs: 0,
		checkpointEveryMs: Math.min(run.checkpointEveryMs ?? Number.POSITIVE_INFINITY, workLeftMs),
		changeoverMs: { onDemand: changeover, spot: changeover, home: LIMITS.restoreMs },
		nextChoiceWithinMs: LIMITS.nextChoiceWithinMs,
		on: { kind: "none" },
		// Nothing of what spot costs or how it behaves is asked for the margin.
		zones: [],
		onDemandMicroUsdPerHour: null,
		home: null,
	};
	return offer.capacityType === "spot" ? bearsSpotStart(state) : marginMs(state) >= 0;
}
