import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import {
	bucketStartMs,
	bucketsOf,
	dayKey,
	GRANULARITIES,
	monthKey,
	monthOfKey,
	nextBucketStartMs,
	periodOf,
	splitAtHours,
	weekdayOf,
} from "./calendar.ts";
import { coverLessHours, coverRange, wholeHours } from "./cover-range.ts";
import { calendarOf, UTC } from "./zone.ts";

const iso = (ms: number) => new Date(ms).toISOString();
const instant = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2032, 0) });
/**
 * Whole hours, daylight saving, half and quarter hours, a midnight that occurs twice (Azores), and one that is skipped
 * (São Paulo).
 */
const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe", "Atlantic/Azores"];
const calendar = fc.constantFrom(...ZONES).map(calendarOf);
const berlin = calendarOf("Europe/Berlin");
const kolkata = calendarOf("Asia/Kolkata");

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

describe("buckets of a time zone", () => {
	const lengths = (from: number, days: number, zone = berlin) =>
		bucketsOf("day", { fromMs: from, toMs: from + days * 24 * HOUR_MS - 1 }, zone).map((b) => [
			iso(b.fromMs),
			(b.toMs - b.fromMs) / HOUR_MS,
		]);

	it("Berlin's 2026-03-29 has 23 hours, 2026-10-25 has 25, and the adjacent days have 24", () => {
		expect(lengths(Date.UTC(2026, 2, 28, 12), 2)).toEqual([
			["2026-03-27T23:00:00.000Z", 24],
			["2026-03-28T23:00:00.000Z", 23],
			["2026-03-29T22:00:00.000Z", 24],
		]);
		expect(lengths(Date.UTC(2026, 9, 24, 12), 2)).toEqual([
			["2026-10-23T22:00:00.000Z", 24],
			["2026-10-24T22:00:00.000Z", 25],
			["2026-10-25T23:00:00.000Z", 24],
		]);
	});

	it("Berlin's November 2026 is 2026-10-31T23:00Z to 2026-11-30T23:00Z, and 23:30 UTC on the last day is already December there", () => {
		const at = Date.parse("2026-11-30T23:30:00Z");
		expect(monthOfKey("2026-11", berlin)).toEqual({ fromMs: Date.UTC(2026, 9, 31, 23), toMs: Date.UTC(2026, 10, 30, 23) });
		expect([dayKey(at), dayKey(at, berlin), monthKey(at), monthKey(at, berlin)]).toEqual([
			"2026-11-30",
			"2026-12-01",
			"2026-11",
			"2026-12",
		]);
		expect(periodOf("quarter", at, berlin)).toEqual({
			key: "2026-10-01",
			fromMs: Date.UTC(2026, 8, 30, 22),
			toMs: Date.UTC(2026, 11, 31, 23),
		});
		expect(periodOf("year", at, berlin).key).toBe("2026-01-01");
	});

	it("Kolkata's midnight is 18:30 UTC: it splits the hour 18:00 to 19:00 into two buckets, and its charges into two pieces", () => {
		const at = Date.UTC(2026, 10, 30, 18);
		expect(splitAtHours({ fromMs: at + 60_000, toMs: at + 2 * HOUR_MS }, kolkata).map((p) => iso(p.fromMs).slice(11, 16))).toEqual([
			"18:01",
			"18:30",
			"19:00",
		]);
		expect(bucketsOf("hour", { fromMs: at, toMs: at + HOUR_MS }, kolkata).map((b) => iso(b.fromMs).slice(11, 16))).toEqual([
			"18:00",
			"18:30",
		]);
		expect(iso(bucketStartMs("month", at + HOUR_MS, kolkata))).toBe("2026-11-30T18:30:00.000Z");
	});

	it("a midnight that occurs twice (Azores, 2026-10-25) starts its day at the first, a skipped one (São Paulo, 2017-10-15) at 01:00", () => {
		const azores = calendarOf("Atlantic/Azores");
		expect(iso(bucketStartMs("day", Date.UTC(2026, 9, 25, 12), azores))).toBe("2026-10-25T00:00:00.000Z");
		expect(iso(bucketStartMs("day", Date.UTC(2017, 9, 15, 12), calendarOf("America/Sao_Paulo")))).toBe("2017-10-15T03:00:00.000Z");
	});

	it("weeks start on Monday, including the one in which Berlin's clocks go back", () => {
		expect(
			bucketsOf("week", { fromMs: Date.UTC(2026, 9, 25, 12), toMs: Date.UTC(2026, 9, 26, 12) }, berlin).map((b) => iso(b.fromMs)),
		).toEqual(["2026-10-18T22:00:00.000Z", "2026-10-25T23:00:00.000Z"]);
		expect([weekdayOf(Date.UTC(2026, 9, 25, 22, 59), berlin), weekdayOf(Date.UTC(2026, 9, 25, 23), berlin)]).toEqual([6, 0]);
	});

	it("each instant is in its own bucket, the next starts where it ends, and its date is the zone's local date", () => {
		fc.assert(
			fc.property(instant, calendar, fc.constantFrom(...GRANULARITIES, "week" as const), (at, zone, bucket) => {
				const start = bucketStartMs(bucket, at, zone);
				const next = nextBucketStartMs(bucket, at, zone);
				expect(start <= at && at < next).toBe(true);
				expect([bucketStartMs(bucket, start, zone), bucketStartMs(bucket, next - 1, zone)]).toEqual([start, start]);
				expect(bucketStartMs(bucket, next, zone)).toBe(next);
				expect(dayKey(at, zone)).toBe(new Date(at).toLocaleDateString("sv-SE", { timeZone: zone.zone }));
			}),
		);
	});

	it.each(["Europe/Atlantis", "+01:00", "", "utc'; drop table charge", "europe/berlin "])(
		"rejects the zone %j with an error that says what to give",
		(zone) => {
			expect(() => calendarOf(zone)).toThrow(
				expect.objectContaining({ code: "invalid_input", fix: expect.stringContaining("Europe/Berlin") }),
			);
			expect(calendarOf("UTC")).toBe(UTC);
		},
	);
});

describe("cutting", () => {
	it("at hours gives consecutive pieces, each within one hour and one day", () => {
		fc.assert(
			fc.property(instant, fc.integer({ min: 0, max: 50 * HOUR_MS }), calendar, (fromMs, lengthMs, zone) => {
				const pieces = splitAtHours({ fromMs, toMs: fromMs + lengthMs }, zone);
				let at = fromMs;
				for (const piece of pieces) {
					expect(piece.fromMs).toBe(at);
					expect(piece.toMs).toBeGreaterThan(piece.fromMs);
					expect(bucketStartMs("hour", piece.fromMs)).toBe(bucketStartMs("hour", piece.toMs - 1));
					expect(dayKey(piece.fromMs, zone)).toBe(dayKey(piece.toMs - 1, zone));
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
				calendar,
				(start, lengthMs, coarsest, zone) => {
					const range = wholeHours({ fromMs: start, toMs: start + lengthMs }, zone);
					expect(range.fromMs <= start && range.toMs >= start + lengthMs && range.toMs - range.fromMs < lengthMs + 2 * HOUR_MS).toBe(true);
					const segments = coverRange(range, coarsest, zone);
					expect(segments.length).toBeLessThanOrEqual(5);
					let at = range.fromMs;
					for (const s of segments) {
						expect(s.fromMs).toBe(at);
						expect(bucketStartMs(s.granularity, s.fromMs, zone)).toBe(s.fromMs);
						expect(bucketStartMs(s.granularity, s.toMs, zone)).toBe(s.toMs);
						at = s.toMs;
					}
					expect(at).toBe(range.toMs);
				},
			),
		);
	});

	it("added minus subtracted buckets equal the range, hour by hour, with no more hours than without subtraction", () => {
		fc.assert(
			fc.property(instant, fc.integer({ min: 1, max: 70 * 24 * HOUR_MS }), calendar, (start, lengthMs, zone) => {
				const range = wholeHours({ fromMs: start, toMs: start + lengthMs }, zone);
				const { add, less } = coverLessHours(range, zone);
				const times = new Map<number, number>();
				for (const s of add) for (const h of bucketsOf("hour", s, zone)) times.set(h.fromMs, (times.get(h.fromMs) ?? 0) + 1);
				for (const s of less) for (const h of bucketsOf("hour", s, zone)) times.set(h.fromMs, (times.get(h.fromMs) ?? 0) - 1);
				const left = [...times].filter(([, n]) => n !== 0);
				expect(left.every(([, n]) => n === 1)).toBe(true);
				expect(left.map(([at]) => at).toSorted((a, b) => a - b)).toEqual(bucketsOf("hour", range, zone).map((h) => h.fromMs));
				for (const s of add) expect([s.fromMs, s.toMs].map((at) => bucketStartMs(s.granularity, at, zone))).toEqual([s.fromMs, s.toMs]);
				const hours = (of: readonly { granularity: string; fromMs: number; toMs: number }[]) =>
					of.filter((s) => s.granularity === "hour").reduce((sum, s) => sum + s.toMs - s.fromMs, 0);
				expect(hours(add) + hours(less)).toBeLessThanOrEqual(hours(coverRange(range, "month", zone)));
			}),
			{ numRuns: 60 },
		);
	});

	it("of 2026-10-29T07:00Z to 2026-11-28T12:00Z adds the first day and subtracts its 7 hours; the last day's 12 hours are added", () => {
		const { add, less } = coverLessHours({ fromMs: Date.UTC(2026, 9, 29, 7), toMs: Date.UTC(2026, 10, 28, 12) });
		const rangesOf = (of: typeof add) => of.map((s) => [s.granularity, iso(s.fromMs).slice(0, 13), iso(s.toMs).slice(0, 13)]);
		expect(rangesOf(add)).toEqual([
			["day", "2026-10-29T00", "2026-11-28T00"],
			["hour", "2026-11-28T00", "2026-11-28T12"],
		]);
		expect(rangesOf(less)).toEqual([["hour", "2026-10-29T00", "2026-10-29T07"]]);
	});

	it("splits 2026-01-30T22:00Z to 2026-04-02T03:00Z into hours, a day, two months, a day and hours", () => {
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
