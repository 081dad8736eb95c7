import { assert } from "#server/kernel/assert.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { bucketStartMs, nextBucketStartMs, weekdayOf } from "./calendar.ts";
import { type Calendar, UTC } from "./zone.ts";

export interface DailySpend {
	/** Start of the calendar day. */
	dayStartMs: number;
	microUsd: bigint;
}

export interface SpendForecast {
	lowMicroUsd: bigint;
	expectedMicroUsd: bigint;
	highMicroUsd: bigint;
	/** Number of whole days that it is based on. */
	samples: number;
}

/** Fewer whole days than this reveal nothing about a week; weekdays are modeled separately once each was seen twice. */
export const FORECAST_DAYS_MIN = 7;
export const WEEKDAY_DAYS_MIN = 14;

/** 90% of a normal distribution lies below 1.2816 standard deviations: low and high are the 10th and 90th percentiles. */
const Z90_PER_10000 = 12_816n;
const TEN_THOUSAND = 10_000n;

/**
 * Cost of a period at its end: the amount spent so far, plus for each remaining day the mean of that weekday so far
 * (of all days, while there are fewer than WEEKDAY_DAYS_MIN); for today only the remaining part. The range is derived
 * from the deviation of days from that mean and treats days as independent: it does not account for a change in
 * habits. null with fewer than FORECAST_DAYS_MIN whole days.
 * @param history whole days before today, including days before the period
 */
export function forecastSpend(input: ForecastInput): SpendForecast | null {
	const last = forecastByDay(input)?.at(-1);
	if (!last) return null;
	const { atMs: _, ...forecast } = last;
	return forecast;
}

export interface ForecastInput {
	spentSoFarMicroUsd: bigint;
	history: readonly DailySpend[];
	nowMs: number;
	periodEndMs: number;
	calendar?: Calendar;
}

/** The same at the end of every remaining day of the period, in one pass. */
export function forecastByDay(input: ForecastInput): (SpendForecast & { atMs: number })[] | null {
	const { spentSoFarMicroUsd: spent, history, nowMs, periodEndMs, calendar = UTC } = input;
	assert(nowMs <= periodEndMs, "the period has ended: there is nothing to forecast");
	if (history.length < FORECAST_DAYS_MIN) return null;
	const meanOf = weekdayMeans(history, calendar);
	const variance = dailyVariance(history, meanOf, calendar);
	const dayMs = BigInt(DAY_MS);
	// Sums of money × milliseconds, so that a partial day is exact and divided only once.
	let toComeByMs = 0n;
	let remainingMs = 0n;
	const until = (atMs: number) => {
		const expected = spent + toComeByMs / dayMs;
		const spread = (squareRoot((variance * remainingMs) / dayMs) * Z90_PER_10000) / TEN_THOUSAND;
		return {
			atMs,
			lowMicroUsd: expected - spread < spent ? min(spent, expected) : expected - spread,
			expectedMicroUsd: expected,
			highMicroUsd: expected + spread,
			samples: history.length,
		};
	};
	if (nowMs === periodEndMs) return [until(nowMs)];
	const days: ReturnType<typeof until>[] = [];
	for (let atMs = nowMs; atMs < periodEndMs; ) {
		const nextDayMs = nextBucketStartMs("day", atMs, calendar);
		const dayEndMs = Math.min(periodEndMs, nextDayMs);
		// A day of 23 or 25 hours is one day of spend.
		const lengthMs = nextDayMs - bucketStartMs("day", atMs, calendar);
		const partMs = lengthMs === DAY_MS ? BigInt(dayEndMs - atMs) : (BigInt(dayEndMs - atMs) * dayMs) / BigInt(lengthMs);
		toComeByMs += meanOf(atMs) * partMs;
		remainingMs += partMs;
		atMs = dayEndMs;
		days.push(until(atMs));
	}
	return days;
}

function weekdayMeans(history: readonly DailySpend[], calendar: Calendar): (atMs: number) => bigint {
	const overall = mean(history.map((d) => d.microUsd));
	if (history.length < WEEKDAY_DAYS_MIN) return () => overall;
	const byWeekday = Array.from({ length: 7 }, (_, weekday) => {
		const same = history.filter((d) => weekdayOf(d.dayStartMs, calendar) === weekday);
		return same.length > 0 ? mean(same.map((d) => d.microUsd)) : overall;
	});
	return (atMs) => byWeekday[weekdayOf(atMs, calendar)] ?? overall;
}

function dailyVariance(history: readonly DailySpend[], meanOf: (atMs: number) => bigint, calendar: Calendar): bigint {
	// The means come from the same days: each removes one degree of freedom.
	const means = history.length < WEEKDAY_DAYS_MIN ? 1 : new Set(history.map((d) => weekdayOf(d.dayStartMs, calendar))).size;
	const squares = history.reduce((sum, d) => sum + (d.microUsd - meanOf(d.dayStartMs)) ** 2n, 0n);
	return squares / BigInt(Math.max(1, history.length - means));
}

function mean(values: readonly bigint[]): bigint {
	return values.reduce((sum, v) => sum + v, 0n) / BigInt(values.length);
}

function min(a: bigint, b: bigint): bigint {
	return a < b ? a : b;
}

/** Integer square root, rounded down (Newton). */
function squareRoot(value: bigint): bigint {
	if (value < 2n) return value;
	let x = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
	for (;;) {
		const next = (x + value / x) >> 1n;
		if (next >= x) return x;
		x = next;
	}
}
