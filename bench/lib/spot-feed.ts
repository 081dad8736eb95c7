import { DAY_MS } from "#server/kernel/units.ts";
import { modelOf, newZoneRecord, observeZone, priorModel } from "#server/scheduling/spot-guarantee/learner.ts";
import type { SpotZone, ZoneModel, ZoneRecord } from "#server/scheduling/spot-guarantee/types.ts";
import type { SpotTerms, ZoneFeed } from "./spot-run.ts";
import type { SpotTrace } from "./spot-traces.ts";

/** A trace with what had been learned from it by each probe. */
export interface WatchedZone extends ZoneFeed {
	id: string;
}

/** Observes the trace from its first probe on, as a live system would, and updates the zone's model once a day. */
export function watch(trace: SpotTrace, terms: SpotTerms): WatchedZone {
	const microUsdPerHour = terms.spotPrice * 1_000_000;
	let record: ZoneRecord | null = null;
	let model: ZoneModel = priorModel();
	let renewAtMs = DAY_MS;
	const zones: SpotZone[] = Array.from(trace.up, (value, tick) => {
		const atMs = tick * trace.gapMs;
		record = record ? observeZone(record, value === 1, atMs) : newZoneRecord(value === 1, atMs);
		if (atMs >= renewAtMs) {
			model = modelOf(record);
			renewAtMs += DAY_MS;
		}
		return { id: trace.id, microUsdPerHour, up: value === 1, ageMs: atMs - record.sinceMs, model };
	});
	const never: SpotZone = { id: trace.id, microUsdPerHour, up: false, ageMs: 0, model: priorModel() };
	return { id: trace.id, up: trace.up, at: (tick) => zones[tick] ?? never };
}
