import { bucketStartMs, type Granularity, type Interval, nextBucketStartMs } from "./calendar.ts";

/** Whole buckets of one granularity. */
export interface Segment extends Interval {
	granularity: Granularity;
}

const FINER: Record<Granularity, Granularity | null> = { month: "day", day: "hour", hour: null };

/** The range widened to whole UTC hours, which is as fine as rollups are. */
export function wholeHours({ fromMs, toMs }: Interval): Interval {
	const end = bucketStartMs("hour", toMs);
	return { fromMs: bucketStartMs("hour", fromMs), toMs: end < toMs ? nextBucketStartMs("hour", toMs) : toMs };
}

/**
 * A range of whole hours as the fewest rollups that cover it exactly: whole months in the middle, whole days beside
 * them, hours at the edges; in order of time. `coarsest` keeps to days or hours, for sums by day.
 */
export function coverRange(range: Interval, coarsest: Granularity): Segment[] {
	if (range.fromMs >= range.toMs) return [];
	const start = bucketStartMs(coarsest, range.fromMs);
	const fromMs = start === range.fromMs ? start : nextBucketStartMs(coarsest, range.fromMs);
	const toMs = bucketStartMs(coarsest, range.toMs);
	const finer = FINER[coarsest];
	if (fromMs >= toMs) return finer ? coverRange(range, finer) : [];
	const middle: Segment = { granularity: coarsest, fromMs, toMs };
	if (!finer) return [middle];
	return [...coverRange({ fromMs: range.fromMs, toMs: fromMs }, finer), middle, ...coverRange({ fromMs: toMs, toMs: range.toMs }, finer)];
}
