import { formatDay, formatMonth } from "#components/time/format-time.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { addDays, dateOf, monthStart, shownMs, startOfDate } from "./zone-days.ts";

export const SPEND_RANGES = ["7d", "month", "last_month", "90d", "12m"] as const;
export type SpendRange = (typeof SPEND_RANGES)[number];

export const SPEND_BUCKETS = ["day", "week", "month"] as const;
export type SpendBucket = (typeof SPEND_BUCKETS)[number];

/** First and last day, inclusive. */
export type Dates = { from: string; to: string };

/** Whole days in the ledger's time zone, today until now. */
export function datesOf(range: SpendRange, nowMs: number, zone = "UTC"): Dates {
	const today = dateOf(nowMs, zone);
	switch (range) {
		case "7d":
			return { from: addDays(today, -6), to: today };
		case "month":
			return { from: monthStart(today), to: today };
		case "last_month":
			return { from: monthStart(today, -1), to: addDays(monthStart(today), -1) };
		case "90d":
			return { from: addDays(today, -89), to: today };
		case "12m":
			return { from: monthStart(today, -11), to: today };
	}
}

/** Half-open, through the end of the last day, so that the range is stable all day. */
export function instantsOf({ from, to }: Dates, zone = "UTC"): { fromMs: number; toMs: number } {
	return { fromMs: startOfDate(from, zone), toMs: startOfDate(addDays(to, 1), zone) };
}

export function rangeOf(range: SpendRange, nowMs: number, zone = "UTC"): { fromMs: number; toMs: number } {
	return instantsOf(datesOf(range, nowMs, zone), zone);
}

const monthName = (date: string) => formatMonth(shownMs(date)).split(" ")[0] ?? "";

/** "November to date", "October". */
export function rangeLabel(range: SpendRange, nowMs: number, zone = "UTC"): string {
	const { from } = datesOf(range, nowMs, zone);
	switch (range) {
		case "7d":
			return "7 days";
		case "month":
			return `${monthName(from)} to date`;
		case "last_month":
			return monthName(from);
		case "90d":
			return "90 days";
		case "12m":
			return "12 months";
	}
}

/** "1 Nov to 19 Nov", inclusive; with years if they differ; a single day is "19 Nov 2026". */
export function datesLabel({ from, to }: Dates): string {
	const [a, b] = [shownMs(from), shownMs(to)];
	const years = from.slice(0, 4) !== to.slice(0, 4);
	if (from === to) return `${formatDay(a)} ${from.slice(0, 4)}`;
	return `${formatDay(a, false)}${years ? ` ${from.slice(0, 4)}` : ""} to ${formatDay(b, false)}${years ? ` ${to.slice(0, 4)}` : ""}`;
}

/** Days up to two months, weeks up to half a year, months beyond. */
export function bucketFor({ from, to }: Dates): SpendBucket {
	const days = daysIn({ from, to });
	return days <= 63 ? "day" : days <= 190 ? "week" : "month";
}

/** Bucket sizes that give more than one bar but not too many to distinguish. */
export function bucketsFor(dates: Dates): SpendBucket[] {
	const days = daysIn(dates);
	return SPEND_BUCKETS.filter((bucket) => (bucket === "day" ? days <= 124 : bucket === "week" ? days > 7 && days <= 750 : days > 28));
}

const daysIn = ({ from, to }: Dates) => Math.round((shownMs(to) - shownMs(from)) / DAY_MS) + 1;
