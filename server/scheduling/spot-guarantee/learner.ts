import { HOUR_MS } from "#server/kernel/units.ts";
import { AGE_EDGES_MS, AGES, SPOT } from "./constants.ts";
import type { ZoneModel, ZoneRecord } from "./types.ts";

/** Learns from observations how long a zone's spot stays up and down. Pure: each observation returns a new record. */

const NONE: readonly number[] = Array.from({ length: AGES }, () => 0);

export function newZoneRecord(up: boolean, nowMs: number): ZoneRecord {
	return { atMs: nowMs, up, sinceMs: nowMs, upHours: NONE, upEnds: NONE, downHours: NONE, downEnds: NONE };
}

/** The zone is observed as up, or down, now. Its state at the last observation is assumed to have lasted until now. */
export function observeZone(record: ZoneRecord, up: boolean, nowMs: number): ZoneRecord {
	if (nowMs < record.atMs) return record;
	const weight = fadeOf(record, nowMs);
	const fade = (counts: readonly number[]): number[] => counts.map((count) => count * weight);
	const hours = fade(record.up ? record.upHours : record.downHours);
	const ends = fade(record.up ? record.upEnds : record.downEnds);
	addHours(hours, record.atMs - record.sinceMs, nowMs - record.sinceMs);
	const over = up !== record.up;
	if (over) {
		const age = ageIndex(nowMs - record.sinceMs - 1);
		ends[age] = (ends[age] ?? 0) + 1;
	}
	const seen = { atMs: nowMs, up, sinceMs: over ? nowMs : record.sinceMs };
	return record.up
		? { ...seen, upHours: hours, upEnds: ends, downHours: fade(record.downHours), downEnds: fade(record.downEnds) }
		: { ...seen, upHours: fade(record.upHours), upEnds: fade(record.upEnds), downHours: hours, downEnds: ends };
}

/**
 * A zone known only by our own launches: nothing is observed between two of them. Refused or reclaimed: down; came up: up. An observation
 * more than SPOT.lookGapMs after the last one starts again: the end of the earlier state is unknown and does not count.
 */
export function noteZone(record: ZoneRecord | null, up: boolean, nowMs: number): ZoneRecord {
	if (record && nowMs - record.atMs <= SPOT.lookGapMs) return observeZone(record, up, nowMs);
	const sinceMs = up ? nowMs - SPOT.unseenAgeMs : nowMs;
	if (!record) return { ...newZoneRecord(up, nowMs), sinceMs };
	return { ...fadedZone(record, nowMs), up, sinceMs };
}

/** The same evidence at a later time: counts halve with SPOT.halfLifeMs. */
function fadedZone(record: ZoneRecord, nowMs: number): ZoneRecord {
	const weight = fadeOf(record, nowMs);
	const fade = (counts: readonly number[]): number[] => counts.map((count) => count * weight);
	const { upHours, upEnds, downHours, downEnds } = record;
	return { ...record, atMs: nowMs, upHours: fade(upHours), upEnds: fade(upEnds), downHours: fade(downHours), downEnds: fade(downEnds) };
}

function fadeOf({ atMs }: ZoneRecord, nowMs: number): number {
	return 0.5 ** (Math.max(0, nowMs - atMs) / SPOT.halfLifeMs);
}

/** Combines several records of one zone at that time, for machine sizes that come and go together. */
export function modelOfAll(records: readonly ZoneRecord[], nowMs: number): ZoneModel {
	const sum = (counts: (record: ZoneRecord) => readonly number[]): number[] =>
		NONE.map((_, age) => records.reduce((total, record) => total + (counts(record)[age] ?? 0) * fadeOf(record, nowMs), 0));
	const all = { upHours: sum((r) => r.upHours), upEnds: sum((r) => r.upEnds), downHours: sum((r) => r.downHours) };
	return modelOf({ atMs: nowMs, up: true, sinceMs: nowMs, ...all, downEnds: sum((r) => r.downEnds) });
}

/** Posterior mean rates of a Gamma-Poisson model at each age, with the prior of SPOT as pseudo-counts. */
export function modelOf(record: ZoneRecord): ZoneModel {
	return {
		upEndsPerHour: PRIOR_RATES.map((rate, age) => posterior(record.upEnds, record.upHours, age, rate)),
		downEndsPerHour: PRIOR_RATES.map((rate, age) => posterior(record.downEnds, record.downHours, age, rate)),
	};
}

/** The prior for a zone without observations. */
export function priorModel(): ZoneModel {
	return PRIOR_MODEL;
}

/** The entry of AGE_EDGES_MS that an age falls into. */
export function ageIndex(ageMs: number): number {
	let index = AGES - 1;
	while (index > 0 && ageMs < (AGE_EDGES_MS[index] ?? 0)) index--;
	return index;
}

/** Width of an age's entry, ms; infinite for the last. */
export function ageWidthMs(index: number): number {
	return (AGE_EDGES_MS[index + 1] ?? Number.POSITIVE_INFINITY) - (AGE_EDGES_MS[index] ?? 0);
}

/** Expected time until a run of that age ends, at most `capMs`. */
export function expectedLifeMs(endsPerHour: readonly number[], ageMs: number, capMs: number): number {
	let alive = 1;
	let lifeMs = 0;
	let atMs = ageMs;
	for (let index = ageIndex(ageMs); index < AGES && atMs - ageMs < capMs; index++) {
		const edgeMs = AGE_EDGES_MS[index + 1] ?? Number.POSITIVE_INFINITY;
		const spanMs = Math.min(edgeMs - atMs, ageMs + capMs - atMs);
		const perMs = Math.max(1e-6, endsPerHour[index] ?? 0) / HOUR_MS;
		const end = 1 - Math.exp(-perMs * spanMs);
		lifeMs += (alive * end) / perMs;
		alive *= 1 - end;
		atMs += spanMs;
	}
	return lifeMs;
}

function addHours(hours: number[], fromMs: number, toMs: number): void {
	for (let atMs = fromMs; atMs < toMs; ) {
		const index = ageIndex(atMs);
		const untilMs = Math.min(toMs, AGE_EDGES_MS[index + 1] ?? toMs);
		hours[index] = (hours[index] ?? 0) + (untilMs - atMs) / HOUR_MS;
		atMs = untilMs;
	}
}

function posterior(ends: readonly number[], hours: readonly number[], age: number, priorRate: number): number {
	return ((ends[age] ?? 0) + SPOT.priorEnds) / ((hours[age] ?? 0) + SPOT.priorEnds / priorRate);
}

/** Evaluated at the middle of each entry; the last is assumed to reach 2.2 times its lower bound. */
const PRIOR_RATES: readonly number[] = AGE_EDGES_MS.map((edgeMs, index) => {
	const middleMs = edgeMs === AGE_EDGES_MS.at(-1) ? edgeMs * 1.6 : (edgeMs + (AGE_EDGES_MS[index + 1] ?? edgeMs)) / 2;
	return 1 / (middleMs / HOUR_MS + SPOT.priorAgeHours);
});
const PRIOR_MODEL: ZoneModel = { upEndsPerHour: PRIOR_RATES, downEndsPerHour: PRIOR_RATES };
