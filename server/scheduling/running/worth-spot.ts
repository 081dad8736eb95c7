import { LIMITS } from "../limits.ts";
import { stateBeforeStart } from "../spot-guarantee/before-start.ts";
import { chooseWithDeadline } from "../spot-guarantee/choose-with-deadline.ts";
import { spotZoneOf } from "../spot-zone.ts";
import type { RunningAttempt } from "../types.ts";
import type { PickedOffer } from "./pick-offer.ts";
import type { RunningInput } from "./types.ts";

/**
 * Whether work with a deadline and checkpoints that is on firm capacity should leave it at its next checkpoint for this spot offer, by the same
 * rule that starts have (spot-guarantee/choose-with-deadline.ts). True for any other work, for other offers, where nobody keeps records, and
 * where the price in effect is not known: they go by what a move saves alone.
 */
export function worthSpot({ snapshot, shapeOf }: RunningInput, attempt: RunningAttempt, picked: PickedOffer, atMs: number): boolean {
	const { spec, placement, microUsdPerHour } = attempt;
	const { run, stagingMs, offer } = picked;
	if (offer.capacityType !== "spot" || placement.capacityType === "spot" || !microUsdPerHour) return true;
	if (spec.deadlineMs === null || spec.checkpoint === null || !snapshot.offerRecords) return true;
	const row = shapeOf(spec).offers().byId(offer.id);
	if (!row) return true;
	// The run's rest begins with the restore.
	const workLeftMs = Math.max(0, run.rest.p90Ms - LIMITS.restoreMs);
	const choice = chooseWithDeadline({
		...stateBeforeStart({ atMs: atMs + LIMITS.stopGraceMs, deadlineMs: spec.deadlineMs, workLeftMs, stagingMs, run }),
		on: { kind: "on_demand", startingMs: 0 },
		zones: [spotZoneOf(row, run.terms, true)],
		onDemandMicroUsdPerHour: Number(microUsdPerHour) / spec.nodes,
		delayMicroUsdPerHour: run.terms.delayMicroUsdPerHour / spec.nodes,
	});
	return choice.on === "spot";
}
