import type { BudgetPeriod } from "#server/domain/policy.ts";
import { assert, assertNever } from "#server/kernel/assert.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { type Calendar, dayNumberOf, dayStartMs, UTC } from "./zone.ts";

/** Half-open [fromMs, toMs), UTC. */
export interface Interval {
	fromMs: number;
	toMs: number;
}

export const GRANULARITIES = ["hour", "day", "month"] as const;
export type Granularity = (typeof GRANULARITIES)[number];
/** Granularities of sums; weeks start on Monday (ISO 8601) and consist of days. */
export type Bucket = Granularity | "week";

/**
 * Start of the bucket that contains the instant. Days, weeks and months are those of the calendar, so a day may have
 * 23 or 25 hours. Hours are UTC hours. An hour that contains a calendar midnight (in zones not a whole number of hours
 * from UTC) is two buckets, so that days always consist of whole hours, and months of whole days.
 */
export function bucketStartMs(bucket: Bucket, atMs: number, calendar: Calendar = UTC): number {
	if (bucket === "hour") {
		const hour = Math.floor(atMs / HOUR_MS) * HOUR_MS;
		return calendar.wholeHours ? hour : Math.max(hour, dayStartMs(calendar, dayNumberOf(calendar, atMs)));
	}
	const day = dayNumberOf(calendar, atMs);
	if (bucket === "day") return dayStartMs(calendar, day);
	if (bucket === "week") return dayStartMs(calendar, day - weekdayOfDay(day));
	return dayStartMs(calendar, monthStartDay(day, 0));
}

/** Start of the bucket after the one that contains the instant. */
export function nextBucketStartMs(bucket: Bucket, atMs: number, calendar: Calendar = UTC): number {
	if (bucket === "hour") {
		const next = (Math.floor(atMs / HOUR_MS) + 1) * HOUR_MS;
		return calendar.wholeHours ? next : Math.min(next, dayStartMs(calendar, dayNumberOf(calendar, atMs) + 1));
	}
	const day = dayNumberOf(calendar, atMs);
	if (bucket === "day") return dayStartMs(calendar, day + 1);
	if (bucket === "week") return dayStartMs(calendar, day - weekdayOfDay(day) + 7);
	return dayStartMs(calendar, monthStartDay(day, 1));
}

/** Every bucket that overlaps the interval, as whole buckets in order. */
export function bucketsOf(bucket: Bucket, { fromMs, toMs }: Interval, calendar: Calendar = UTC): Interval[] {
	const buckets: Interval[] = [];
	for (let at = fromMs; at < toMs; ) {
		const end = nextBucketStartMs(bucket, at, calendar);
		buckets.push({ fromMs: bucketStartMs(bucket, at, calendar), toMs: end });
		at = end;
	}
	return buckets;
}

/** 0 is Monday, 6 Sunday. */
export function weekdayOf(atMs: number, calendar: Calendar = UTC): number {
	return weekdayOfDay(dayNumberOf(calendar, atMs));
}

/** The date on the calendar, e.g. `2026-11-30`. */
export function dayKey(atMs: number, calendar: Calendar = UTC): string {
	return dateText(dayNumberOf(calendar, atMs));
}

/** The calendar month that contains the instant, e.g. `2026-11`. */
export function monthKey(atMs: number, calendar: Calendar = UTC): string {
	return dayKey(atMs, calendar).slice(0, 7);
}

/** The month of a key such as `2026-11`; null if it is not one. */
export function monthOfKey(key: string, calendar: Calendar = UTC): Interval | null {
	const day = /^20\d\d-(0[1-9]|1[0-2])$/.test(key) ? Date.parse(`${key}-01T00:00:00Z`) / DAY_MS : Number.NaN;
	return Number.isNaN(day) ? null : { fromMs: dayStartMs(calendar, day), toMs: dayStartMs(calendar, monthStartDay(day, 1)) };
}

/**
 * Splits the interval into pieces that each lie within one UTC hour and one calendar day, as charges must; empty for
 * an empty interval.
 */
export function splitAtHours({ fromMs, toMs }: Interval, calendar: Calendar = UTC): Interval[] {
	assert(Number.isSafeInteger(fromMs) && Number.isSafeInteger(toMs), `an interval has whole milliseconds, got ${fromMs}..${toMs}`);
	const pieces: Interval[] = [];
	for (let at = fromMs; at < toMs; ) {
		const end = Math.min(toMs, nextBucketStartMs("hour", at, calendar));
		pieces.push({ fromMs: at, toMs: end });
		at = end;
	}
	return pieces;
}

export interface Period extends Interval {
	/** First day, e.g. `2026-11-01`: the key of budget_period. */
	key: string;
}

/** The calendar month, quarter or year that contains the instant. */
export function periodOf(period: BudgetPeriod, atMs: number, calendar: Calendar = UTC): Period {
	const months = monthsOf(period);
	const day = dayNumberOf(calendar, atMs);
	const first = monthStartDay(day, -(new Date(day * DAY_MS).getUTCMonth() % months));
	return { key: dateText(first), fromMs: dayStartMs(calendar, first), toMs: dayStartMs(calendar, monthStartDay(first, months)) };
}

function monthsOf(period: BudgetPeriod): number {
	switch (period) {
		case "month":
			return 1;
		case "quarter":
			return 3;
		case "year":
			return 12;
		default:
			return assertNever(period, "budget period");
	}
}

/** Day number of the first day of the month that is `months` later. */
function monthStartDay(day: number, months: number): number {
	const at = new Date(day * DAY_MS);
	return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1) / DAY_MS;
}

/** 1970-01-01 was a Thursday. */
function weekdayOfDay(day: number): number {
	return (((day + 3) % 7) + 7) % 7;
}

function dateText(day: number): string {
	return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
