import { HOUR_MS } from "#server/kernel/units.ts";
import type { CostTerms } from "./cost.ts";
import type { OfferRow } from "./offers.ts";
import { SPOT } from "./spot-guarantee/constants.ts";
import { modelOfAll, priorModel } from "./spot-guarantee/learner.ts";
import { type Presence, presenceAfter, UNSEEN } from "./spot-guarantee/presence.ts";
import type { SpotZone, ZoneModel, ZoneRecord } from "./spot-guarantee/types.ts";

/**
 * A spot offer as input of the deadline rule, based on its own launches and those of other sizes in its place. Its price is the ranking
 * price. Only a launch shows whether it is available now: it counts as available unless it just refused or reclaimed a machine (`up`).
 * Cost: one check of these records; the model is recomputed when a record or the hour changes.
 */
export function spotZoneOf(row: OfferRow, { records, nowMs }: CostTerms, up: boolean): SpotZone {
	const seen = row.likes.flatMap((id) => records?.get(id)?.zone ?? []);
	return {
		id: row.offer.id,
		microUsdPerHour: row.rankingMicroUsdPerHour,
		up,
		ageMs: ageOf(seen, up, nowMs),
		model: modelOn(row, seen, nowMs),
	};
}

/** Expected current state of a spot offer, by the last observation of it or of another size in its place. */
export function presenceOf(row: OfferRow, { records, nowMs }: CostTerms): Presence {
	const seen = row.likes.flatMap((id) => records?.get(id)?.zone ?? []);
	const last = lastOf(seen);
	if (last === null) return UNSEEN;
	return presenceAfter(modelOn(row, seen, nowMs), last.up, Math.max(0, last.atMs - last.sinceMs), Math.max(0, nowMs - last.atMs));
}

function lastOf(seen: readonly ZoneRecord[]): ZoneRecord | null {
	let last: ZoneRecord | null = null;
	for (const zone of seen) if (last === null || zone.atMs > last.atMs) last = zone;
	return last;
}

/** Based on the last observation, if recent enough. What was unavailable then may have just returned. */
function ageOf(seen: readonly ZoneRecord[], up: boolean, nowMs: number): number {
	const last = lastOf(seen);
	if (last === null || nowMs - last.atMs > SPOT.lookGapMs) return up ? SPOT.unseenAgeMs : 0;
	return last.up === up ? Math.max(0, nowMs - last.sinceMs) : 0;
}

function modelOn(row: OfferRow, seen: readonly ZoneRecord[], nowMs: number): ZoneModel {
	if (seen.length === 0) return priorModel();
	const step = Math.floor(nowMs / HOUR_MS);
	const kept = row.lastModel;
	if (kept?.step === step && kept.seen.length === seen.length && seen.every((zone, i) => zone === kept.seen[i])) return kept.model;
	const model = modelOfAll(seen, step * HOUR_MS);
	row.lastModel = { step, seen, model };
	return model;
}
