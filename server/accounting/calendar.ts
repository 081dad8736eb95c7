import type { BudgetPeriod } from "#server/domain/policy.ts";
import { assert, assertNever, defined } from "#server/kernel/assert.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";

/** Half-open [fromMs, toMs), UTC. */
export interface Interval {
	fromMs: number;
	toMs: number;
}

export const GRANULARITIES = ["hour", "day", "month"] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** Start of the UTC hour, day or month that holds the instant. */
export function bucketStartMs(granularity: Granularity, atMs: number): number {
	if (granularity === "hour") return Math.floor(atMs / HOUR_MS) * HOUR_MS;
	if (granularity === "day") return Math.floor(atMs / DAY_MS) * DAY_MS;
	const at = new Date(atMs);
	return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1);
}

/** Start of the bucket after the one that holds the instant. */
export function nextBucketStartMs(granularity: Granularity, atMs: number): number {
	const start = bucketStartMs(granularity, atMs);
	if (granularity === "hour") return start + HOUR_MS;
	if (granularity === "day") return start + DAY_MS;
	const at = new Date(start);
	return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1);
}

/** The interval in pieces that each lie within one UTC hour; empty when the interval is. */
export function cutAtHours({ fromMs, toMs }: Interval): Interval[] {
	assert(Number.isSafeInteger(fromMs) && Number.isSafeInteger(toMs), `an interval has whole milliseconds, got ${fromMs}..${toMs}`);
	const pieces: Interval[] = [];
	for (let at = fromMs; at < toMs; ) {
		const end = Math.min(toMs, nextBucketStartMs("hour", at));
		pieces.push({ fromMs: at, toMs: end });
		at = end;
	}
	return pieces;
}

export interface Period extends Interval {
	/** First day, e.g. `2026-11-01`: the key of budget_period. */
	key: string;
}

/** The calendar month, quarter or year (UTC) that holds the instant. */
export function periodOf(period: BudgetPeriod, atMs: number): Period {
	const months = monthsOf(period);
	const at = new Date(atMs);
	const first = Math.floor(at.getUTCMonth() / months) * months;
	const fromMs = Date.UTC(at.getUTCFullYear(), first, 1);
	const toMs = Date.UTC(at.getUTCFullYear(), first + months, 1);
	return { key: defined(new Date(fromMs).toISOString().split("T")[0], "date"), fromMs, toMs };
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
