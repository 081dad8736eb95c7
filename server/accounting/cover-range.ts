import { bucketStartMs, type Granularity, type Interval, nextBucketStartMs } from "./calendar.ts";
import { type Calendar, UTC } from "./zone.ts";

/** Whole buckets of one granularity. */
export interface Segment extends Interval {
	granularity: Granularity;
}

const FINER: Record<Granularity, Granularity | null> = { month: "day", day: "hour", hour: null };

/** The range extended to whole hours, the granularity of rollups. */
export function wholeHours(range: Interval, calendar: Calendar = UTC): Interval {
	return widenToHours("hour", range, calendar);
}

/** The range extended to whole buckets. */
export function widenToHours(granularity: Granularity, { fromMs, toMs }: Interval, calendar: Calendar = UTC): Interval {
	const end = bucketStartMs(granularity, toMs, calendar);
	return {
		fromMs: bucketStartMs(granularity, fromMs, calendar),
		toMs: end < toMs ? nextBucketStartMs(granularity, toMs, calendar) : toMs,
	};
}

/**
 * The fewest rollups that cover a range of whole hours exactly: whole months in the middle, whole days next to them,
 * hours at the edges; in order of time. `coarsest` limits it to days or hours, for sums by day.
 */
export function coverRange(range: Interval, coarsest: Granularity, calendar: Calendar = UTC): Segment[] {
	if (range.fromMs >= range.toMs) return [];
	const start = bucketStartMs(coarsest, range.fromMs, calendar);
	const fromMs = start === range.fromMs ? start : nextBucketStartMs(coarsest, range.fromMs, calendar);
	const toMs = bucketStartMs(coarsest, range.toMs, calendar);
	const finer = FINER[coarsest];
	if (fromMs >= toMs) return finer ? coverRange(range, finer, calendar) : [];
	const middle: Segment = { granularity: coarsest, fromMs, toMs };
	if (!finer) return [middle];
	return [
		...coverRange({ fromMs: range.fromMs, toMs: fromMs }, finer, calendar),
		middle,
		...coverRange({ fromMs: toMs, toMs: range.toMs }, finer, calendar),
	];
}

/** Segments to add, and hours to subtract. */
export interface Cover {
	add: Segment[];
	/** Hours. */
	less: Segment[];
}

/**
 * The same for sums that are not split by time, with the fewest hours. When most of a day is in the range, the whole
 * day is added and its other hours are subtracted, because an hour has nearly as many rows as a day.
 */
export function coverLessHours(range: Interval, calendar: Calendar = UTC): Cover {
	if (range.fromMs >= range.toMs) return { add: [], less: [] };
	const days = widenToHours("day", range, calendar);
	const [second, last] = [nextBucketStartMs("day", range.fromMs, calendar), bucketStartMs("day", range.toMs, calendar)];
	const [off, behind] = [range.fromMs - days.fromMs, days.toMs - range.toMs];
	const oneDay = second >= range.toMs;
	const begins = oneDay ? off + behind < range.toMs - range.fromMs : off < second - range.fromMs;
	const ends = oneDay ? begins : behind < range.toMs - last;
	const taken = { fromMs: begins ? days.fromMs : range.fromMs, toMs: ends ? days.toMs : range.toMs };
	const less = [
		{ fromMs: taken.fromMs, toMs: range.fromMs },
		{ fromMs: range.toMs, toMs: taken.toMs },
	].filter(({ fromMs, toMs }) => fromMs < toMs);
	return { add: coverRange(taken, "month", calendar), less: less.map((hours) => ({ granularity: "hour", ...hours })) };
}
