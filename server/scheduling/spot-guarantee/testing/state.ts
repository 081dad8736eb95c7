import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { priorModel } from "../learner.ts";
import type { DeadlineState, SpotZone } from "../types.ts";

/** A job of 48 hours with a day of slack and no placement, and one zone that just came up at 0.3 of on-demand. */
export function aState(changes: Partial<DeadlineState> = {}): DeadlineState {
	return {
		nowMs: 0,
		deadlineMs: 72 * HOUR_MS,
		workLeftMs: 48 * HOUR_MS,
		unsavedMs: 0,
		checkpointEveryMs: 15 * MINUTE_MS,
		changeoverMs: { onDemand: 7 * MINUTE_MS, spot: 7 * MINUTE_MS, home: 7 * MINUTE_MS },
		nextChoiceWithinMs: 5 * MINUTE_MS,
		on: { kind: "none" },
		zones: [aZone("zone-a")],
		onDemandMicroUsdPerHour: 1_000_000,
		home: null,
		...changes,
	};
}

export function aZone(id: string, changes: Partial<SpotZone> = {}): SpotZone {
	return { id, microUsdPerHour: 300_000, up: true, ageMs: 0, model: priorModel(), ...changes };
}
