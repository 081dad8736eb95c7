import type { RunningAttempt } from "../types.ts";

/** Work on capacity that can be taken back, which a deadline does not allow forever. */
export function needsGuard(attempt: RunningAttempt): boolean {
	return attempt.spec.deadlineMs !== null && attempt.placement.capacityType === "spot";
}
