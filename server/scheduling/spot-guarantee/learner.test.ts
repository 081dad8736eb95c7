import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { AGES, SPOT } from "./constants.ts";
import { ageIndex, expectedLifeMs, modelOf, modelOfAll, newZoneRecord, noteZone, observeZone, priorModel } from "./learner.ts";
import type { ZoneRecord } from "./types.ts";

const M = MINUTE_MS;

/** Alternates between up for `upMs` and down for `downMs`, observed every `lookMs`. */
function watched(upMs: number, downMs: number, lookMs: number, forMs: number): ZoneRecord {
	let record = newZoneRecord(true, 0);
	for (let nowMs = lookMs; nowMs <= forMs; nowMs += lookMs) record = observeZone(record, nowMs % (upMs + downMs) < upMs, nowMs);
	return record;
}

describe("what is learned about a zone", () => {
	it("counts hours and endings at their ages: up for 50 min is 10 + 10 + 20 + 10 min, and ends in the age from 40 min", () => {
		const record = observeZone(newZoneRecord(true, 0), false, 50 * M);
		const minutes = record.upHours.map((hours) => Math.round(hours * 60));
		expect(minutes.slice(0, 5)).toEqual([10, 10, 20, 10, 0]);
		expect(record.upEnds.map(Math.round)).toEqual([0, 0, 0, 1, 0, 0, 0, 0]);
		expect(record).toMatchObject({ up: false, sinceMs: 50 * M });
	});

	it("does not depend on how often it is observed, except for the decay between observations", () => {
		const seldom = watched(60 * M, 30 * M, 30 * M, 90 * HOUR_MS);
		const often = watched(60 * M, 30 * M, 10 * M, 90 * HOUR_MS);
		for (let age = 0; age < AGES; age++) {
			expect(often.upHours[age]).toBeCloseTo(seldom.upHours[age] ?? 0, 1);
			expect(often.downEnds[age]).toBeCloseTo(seldom.downEnds[age] ?? 0, 1);
		}
	});

	it("forgets: after a half-life without any change the old endings count half", () => {
		const ended = observeZone(newZoneRecord(true, 0), false, 50 * M);
		const later = observeZone(ended, false, 50 * M + SPOT.halfLifeMs);
		expect(later.upEnds[3]).toBeCloseTo(0.5, 9);
	});

	it("ignores an observation from before the last one", () => {
		const record = newZoneRecord(true, 10 * M);
		expect(observeZone(record, false, 5 * M)).toBe(record);
	});

	it("converges to the zone's own rates: runs of exactly one hour end at the ages of 40 to 80 min only", () => {
		const model = modelOf(watched(60 * M, 30 * M, 10 * M, 60 * 24 * HOUR_MS));
		expect(model.upEndsPerHour[3]).toBeGreaterThan(2);
		expect(model.upEndsPerHour[1]).toBeLessThan(0.1);
	});
});

describe("the prior before any observation", () => {
	it("assumes that what has lasted will last: the rate falls with the age", () => {
		const { upEndsPerHour } = priorModel();
		expect([...upEndsPerHour].sort((a, b) => b - a)).toEqual(upEndsPerHour);
	});
});

describe("a zone that only our own launches observe", () => {
	it("counts as up for six hours when the first launch comes up, and as down for no time when it is rejected", () => {
		const nowMs = 100 * HOUR_MS;
		expect(noteZone(null, true, nowMs)).toMatchObject({ up: true, atMs: nowMs, sinceMs: nowMs - 6 * HOUR_MS });
		expect(noteZone(null, false, nowMs)).toMatchObject({ up: false, atMs: nowMs, sinceMs: nowMs });
	});

	it("returns: refused at 0, 1, 3 and 7 min and up at 15 min is one end of an unavailable run of 15 min", () => {
		let zone = noteZone(null, false, 0);
		for (const minute of [1, 3, 7]) zone = noteZone(zone, false, minute * M);
		zone = noteZone(zone, true, 15 * M);
		expect(zone).toMatchObject({ up: true, sinceMs: 15 * M });
		expect(zone.downEnds.map((n) => Math.round(n))).toEqual([0, 1, 0, 0, 0, 0, 0, 0]);
		expect(zone.downHours.map((hours) => Math.round(hours * 60))).toEqual([10, 5, 0, 0, 0, 0, 0, 0]);
	});

	it("learns nothing between observations more than an hour apart: neither hours nor an end", () => {
		const refused = noteZone(null, false, 0);
		const later = noteZone(refused, true, HOUR_MS + 1);
		expect(later).toMatchObject({ up: true, sinceMs: 1 - 5 * HOUR_MS, downHours: refused.downHours });
		expect([...later.upEnds, ...later.downEnds].every((n) => n === 0)).toBe(true);
	});

	it("shares its record with its other sizes: hours and ends add up", () => {
		const ended = observeZone(newZoneRecord(true, 0), false, 50 * M);
		const [one, two] = [modelOfAll([ended], 50 * M), modelOfAll([ended, ended], 50 * M)];
		expect(one).toEqual(modelOf(ended));
		expect(two.upEndsPerHour[3]).toBeGreaterThan(one.upEndsPerHour[3] ?? 0);
		expect(modelOfAll([], 0)).toEqual(priorModel());
	});
});

describe("the expected life", () => {
	it("of a run that ends at 0.5 per hour at any age is 2 hours", () => {
		const rates = Array.from({ length: AGES }, () => 0.5);
		expect(expectedLifeMs(rates, 0, 1000 * HOUR_MS) / HOUR_MS).toBeCloseTo(2, 6);
		expect(expectedLifeMs(rates, 33 * M, 1000 * HOUR_MS) / HOUR_MS).toBeCloseTo(2, 6);
	});

	it("is limited to the cap", () => {
		expect(
			expectedLifeMs(
				Array.from({ length: AGES }, () => 0.001),
				0,
				HOUR_MS,
			) / HOUR_MS,
		).toBeCloseTo(1, 2);
	});

	it("finds the age's entry by its lower bound", () => {
		expect([0, 10 * M - 1, 10 * M, 639 * M, 640 * M, 10_000 * M].map(ageIndex)).toEqual([0, 0, 1, 6, 7, 7]);
	});
});
