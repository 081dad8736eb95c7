import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { bucketStartMs, cutAtHours, GRANULARITIES, nextBucketStartMs, periodOf } from "./calendar.ts";
import { coverRange, wholeHours } from "./cover-range.ts";

const iso = (ms: number) => new Date(ms).toISOString();
const instant = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2032, 0) });

describe("buckets and periods are UTC", () => {
	it.each([
		["hour", "2028-02-29T23:00:00.000Z", "2028-03-01T00:00:00.000Z"],
		["day", "2028-02-29T00:00:00.000Z", "2028-03-01T00:00:00.000Z"],
		["month", "2028-02-01T00:00:00.000Z", "2028-03-01T00:00:00.000Z"],
	] as const)("the %s of 2028-02-29T23:59:59.999Z is %s to %s", (granularity, from, to) => {
		const at = Date.parse("2028-02-29T23:59:59.999Z");
		expect([iso(bucketStartMs(granularity, at)), iso(nextBucketStartMs(granularity, at))]).toEqual([from, to]);
	});

	it.each([
		["month", "2026-12-01", "2027-01-01T00:00:00.000Z"],
		["quarter", "2026-10-01", "2027-01-01T00:00:00.000Z"],
		["year", "2026-01-01", "2027-01-01T00:00:00.000Z"],
	] as const)("the %s of 2026-12-31T23:59:59.999Z has the key %s and ends at %s", (period, key, end) => {
		const found = periodOf(period, Date.parse("2026-12-31T23:59:59.999Z"));
		expect([found.key, iso(found.toMs)]).toEqual([key, end]);
	});
});

describe("cutting", () => {
	it("at hours gives pieces that follow each other, each within one hour", () => {
		fc.assert(
			fc.property(instant, fc.integer({ min: 0, max: 50 * HOUR_MS }), (fromMs, lengthMs) => {
				const pieces = cutAtHours({ fromMs, toMs: fromMs + lengthMs });
				let at = fromMs;
				for (const piece of pieces) {
					expect(piece.fromMs).toBe(at);
					expect(piece.toMs).toBeGreaterThan(piece.fromMs);
					expect(bucketStartMs("hour", piece.fromMs)).toBe(bucketStartMs("hour", piece.toMs - 1));
					at = piece.toMs;
				}
				expect(at).toBe(fromMs + lengthMs);
			}),
		);
	});

	it("a range into months, days and hours covers it exactly, in order, in whole buckets, at most five segments", () => {
		fc.assert(
			fc.property(
				instant,
				fc.integer({ min: 1, max: 900 * 24 * HOUR_MS }),
				fc.constantFrom(...GRANULARITIES),
				(start, lengthMs, coarsest) => {
					const range = wholeHours({ fromMs: start, toMs: start + lengthMs });
					expect(range.fromMs <= start && range.toMs >= start + lengthMs && range.toMs - range.fromMs < lengthMs + 2 * HOUR_MS).toBe(true);
					const segments = coverRange(range, coarsest);
					expect(segments.length).toBeLessThanOrEqual(5);
					let at = range.fromMs;
					for (const s of segments) {
						expect(s.fromMs).toBe(at);
						expect(bucketStartMs(s.granularity, s.fromMs)).toBe(s.fromMs);
						expect(bucketStartMs(s.granularity, s.toMs)).toBe(s.toMs);
						at = s.toMs;
					}
					expect(at).toBe(range.toMs);
				},
			),
		);
	});

	it("takes 2026-01-30T22:00Z to 2026-04-02T03:00Z as hours, a day, two months, a day and hours", () => {
		const cover = coverRange({ fromMs: Date.UTC(2026, 0, 30, 22), toMs: Date.UTC(2026, 3, 2, 3) }, "month");
		expect(cover.map((s) => [s.granularity, iso(s.fromMs).slice(0, 13)])).toEqual([
			["hour", "2026-01-30T22"],
			["day", "2026-01-31T00"],
			["month", "2026-02-01T00"],
			["day", "2026-04-01T00"],
			["hour", "2026-04-02T00"],
		]);
	});
});
