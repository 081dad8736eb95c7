import type { DeadlineState } from "./types.ts";

/**
 * The guarantee. Let saved(t) be the work left from the last saved checkpoint, F the changeover to firm capacity, and
 * margin(t) = deadline − t − saved(t) − F, all upper bounds. Let Δ = nextChoiceWithinMs.
 *
 * Claim: when margin ≥ 0 at the first choice, the job is done by the deadline whatever spot does.
 * 1. saved never grows: an interruption loses unsaved work only, and a checkpoint makes it smaller. So over any time s,
 *    margin(t + s) ≥ margin(t) − s, whether spot is up, down, refused, booting or reclaimed, as often as it likes.
 * 2. Anything but firm capacity is chosen only when margin ≥ Δ; the next choice comes within Δ, and finds margin ≥ 0 by 1.
 * 3. When margin is in [0, Δ) firm capacity is chosen: work goes on within F and is not reclaimed, so it is done
 *    by t + F + saved(t) = deadline − margin(t) ≤ deadline.
 * 4. From firm capacity the job goes elsewhere only when margin ≥ Δ, where the margin counts all of firm capacity's unsaved work
 *    as lost; so 1 to 3 hold again. While it stays, it is done by t + what is left of F + work left, which never moves.
 * By induction over the choices one of 3 and 4 ends the job in time. Not covered: on-demand capacity that is refused or breaks,
 * a changeover that takes longer than its bound, and work that grows.
 */
export function marginMs(state: DeadlineState): number {
	return state.deadlineMs - state.nowMs - state.workLeftMs - state.changeoverMs.onDemand;
}

/** Something else than firm capacity may be chosen until the next choice. */
export function bearsSpot(state: DeadlineState): boolean {
	return marginMs(state) >= state.nextChoiceWithinMs;
}

/**
 * A start on spot can be kept up until its first checkpoint is saved: before that the margin shrinks by the changeover and one
 * interval, and a start that safety has to break off is paid for nothing.
 */
export function bearsSpotStart(state: DeadlineState): boolean {
	const unsavedMs = state.on.kind === "none" ? 0 : state.unsavedMs;
	return marginMs(state) + unsavedMs >= leastStartMarginMs(state) && bearsSpot(state);
}

/** The least margin that bears a start on spot. */
export function leastStartMarginMs(state: DeadlineState): number {
	return state.changeoverMs.spot + state.checkpointEveryMs + state.nextChoiceWithinMs;
}
