import { LIMITS } from "../limits.ts";
import { stateBeforeMove } from "../spot-guarantee/before-start.ts";
import { chooseWithDeadline } from "../spot-guarantee/choose-with-deadline.ts";
import { SPOT } from "../spot-guarantee/constants.ts";
import type { SpotZone } from "../spot-guarantee/types.ts";
import { spotZoneOf } from "../spot-zone.ts";
import type { RunningAttempt } from "../types.ts";
import type { PickedOffer } from "./pick-offer.ts";
import type { RunningInput } from "./types.ts";

/**
 * Whether work with a deadline and checkpoints should move to this spot offer at its next checkpoint, by the same rule as for starts
 * (spot-guarantee/choose-with-deadline.ts). True for other work, other offers, without records, and without a known price in effect: these
 * are decided by the savings of the move alone.
 */
export function worthSpot({ snapshot, shapeOf }: RunningInput, attempt: RunningAttempt, picked: PickedOffer, atMs: number): boolean {
	const { spec, placement, microUsdPerHour, offerId } = attempt;
	const { run, stagingMs, offer } = picked;
	if (offer.capacityType !== "spot" || !microUsdPerHour) return true;
	if (spec.deadlineMs === null || spec.checkpoint === null || !snapshot.offerRecords) return true;
	const offers = shapeOf(spec).offers();
	const row = offers.byId(offer.id);
	const before = stateBeforeMove({ atMs: atMs + LIMITS.stopGraceMs, deadlineMs: spec.deadlineMs, stagingMs, run });
	if (!row || before === null) return true;
	const hereMicroUsd = Number(microUsdPerHour) / spec.nodes;
	const there = spotZoneOf(row, run.terms, true);
	const onSpot = placement.capacityType === "spot";
	const here = onSpot ? offers.byId(offerId ?? "") : undefined;
	if (onSpot && !here) return true;
	const firm = onSpot ? offers.eligible.find((other) => other.offer.capacityType !== "spot")?.rankingMicroUsdPerHour : hereMicroUsd;
	const zones: SpotZone[] = here ? [{ ...spotZoneOf(here, run.terms, true), microUsdPerHour: hereMicroUsd }, there] : [there];
	const choice = chooseWithDeadline({
		...before,
		on: here ? { kind: "spot", zoneId: here.offer.id, startingMs: 0 } : { kind: "on_demand", startingMs: 0 },
		zones,
		onDemandMicroUsdPerHour: firm ?? null,
		delayMicroUsdPerHour: run.delayMicroUsdPerHour / spec.nodes,
		lookDelayMs: SPOT.lookDelayMs,
	});
	return choice.on === "spot" && choice.zoneId === there.id;
}
