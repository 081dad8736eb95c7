import type { RunningAttempt } from "../types.ts";

/** Whether work with a deadline runs on capacity that can be reclaimed. */
export function needsGuard(attempt: RunningAttempt): boolean {
	return attempt.spec.deadlineMs !== null && attempt.placement.capacityType === "spot";
}
