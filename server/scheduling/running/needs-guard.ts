import type { RunningAttempt } from "../types.ts";

/** Work on capacity that can be reclaimed, which a deadline does not allow indefinitely. */
export function needsGuard(attempt: RunningAttempt): boolean {
	return attempt.spec.deadlineMs !== null && attempt.placement.capacityType === "spot";
}
