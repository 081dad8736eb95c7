import type { DeadlineState } from "./types.ts";

/**
 * The guarantee. Let saved(t) be the work left from the last saved checkpoint, F the changeover to firm capacity, and margin(t)
 * = deadline − t − saved(t) − F, all upper bounds. Let Δ = nextChoiceWithinMs.
 *
 * Claim: when margin ≥ 0 at the first choice, the job is done by the deadline whatever spot does.
 * 1. saved never grows: an interruption loses only unsaved work, and a checkpoint makes it smaller. So over any time s,
 *    margin(t + s) ≥ margin(t) − s, however often spot is up, down, refused, booting or reclaimed.
 * 2. Non-firm capacity is chosen only when margin ≥ Δ. The next choice comes within Δ, and by 1 finds margin ≥ 0.
 * 3. When margin is in [0, Δ) firm capacity is chosen: work continues within F and is not reclaimed, so it is done by t + F +
 *    saved(t) = deadline − margin(t) ≤ deadline.
 * 4. From firm capacity the job moves only when margin ≥ Δ, where the margin counts all of firm capacity's unsaved work as
 *    lost; so 1 to 3 hold again. While it stays, it is done by t + the rest of F + work left, which is constant.
 * By induction over the choices, 3 or 4 ends the job in time. Not covered: on-demand capacity that is refused or fails, a
 * changeover that exceeds its bound, and work that grows.
 */
export function marginMs(state: DeadlineState): number {
	return state.deadlineMs - state.nowMs - state.workLeftMs - state.changeoverMs.onDemand;
}

/** Whether anything but firm capacity may be chosen until the next choice. */
export function allowsSpot(state: DeadlineState): boolean {
	return marginMs(state) >= state.nextChoiceWithinMs;
}

/**
 * Whether a start on spot can be kept until its first checkpoint is saved. Until then the margin shrinks by the changeover and one
 * interval, and a start that safety aborts is paid for nothing.
 */
export function allowsSpotStart(state: DeadlineState): boolean {
	const unsavedMs = state.on.kind === "none" ? 0 : state.unsavedMs;
	return marginMs(state) + unsavedMs >= leastStartMarginMs(state) && allowsSpot(state);
}

/** Minimum margin for a start on spot. */
export function leastStartMarginMs(state: DeadlineState): number {
	return state.changeoverMs.spot + state.checkpointEveryMs + state.nextChoiceWithinMs;
}
