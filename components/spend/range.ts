import { createLoader, createSerializer, parseAsStringLiteral } from "nuqs/server";
import { formatDay, formatMonth } from "#components/time/format-time.ts";
import { DAY_MS } from "#server/kernel/units.ts";

export const SPEND_RANGES = ["7d", "month", "last_month", "60d"] as const;
export type SpendRange = (typeof SPEND_RANGES)[number];

/** What the table can be grouped by, in the order of its tabs. */
export const SPEND_BY = ["team", "project", "class", "provider", "region", "capacityType", "accelerator"] as const;
export type SpendBy = (typeof SPEND_BY)[number];
export const BY_LABEL: Record<SpendBy, string> = {
	team: "Team",
	project: "Project",
	class: "Class",
	provider: "Provider",
	region: "Region",
	capacityType: "Capacity",
	accelerator: "GPU model",
};

const params = {
	range: parseAsStringLiteral(SPEND_RANGES).withDefault("month"),
	by: parseAsStringLiteral(SPEND_BY).withDefault("team"),
};
export const loadSpendParams = createLoader(params);
const serialize = createSerializer(params);
export const spendHref = (values: { range: SpendRange; by: SpendBy }): string => serialize("/spend", values);

export const dayStartOf = (atMs: number): number => Math.floor(atMs / DAY_MS) * DAY_MS;

function monthStartOf(atMs: number, monthsOn = 0): number {
	const at = new Date(atMs);
	return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + monthsOn, 1);
}

/** Whole UTC days, today as far as it is over: half-open, with the end of today, so that the range is the same all day. */
export function rangeOf(range: SpendRange, nowMs: number): { fromMs: number; toMs: number } {
	const tomorrow = dayStartOf(nowMs) + DAY_MS;
	switch (range) {
		case "7d":
			return { fromMs: tomorrow - 7 * DAY_MS, toMs: tomorrow };
		case "month":
			return { fromMs: monthStartOf(nowMs), toMs: tomorrow };
		case "last_month":
			return { fromMs: monthStartOf(nowMs, -1), toMs: monthStartOf(nowMs) };
		case "60d":
			return { fromMs: tomorrow - 60 * DAY_MS, toMs: tomorrow };
	}
}

const monthName = (atMs: number) => formatMonth(atMs).split(" ")[0] ?? "";

/** "November to date", "October": names of months, because people speak of them so. */
export function rangeLabel(range: SpendRange, nowMs: number): string {
	switch (range) {
		case "7d":
			return "7 days";
		case "month":
			return `${monthName(nowMs)} to date`;
		case "last_month":
			return monthName(monthStartOf(nowMs, -1));
		case "60d":
			return "60 days";
	}
}

/** "1 Nov to 19 Nov", both included. */
export function rangeDays({ fromMs, toMs }: { fromMs: number; toMs: number }): string {
	return `${formatDay(fromMs, false)} to ${formatDay(toMs - 1, false)}`;
}

/** One form of the query's input, so that what the server prefetches is what the browser asks for. */
export function spendQuery(range: SpendRange, by: SpendBy, nowMs: number) {
	return { ...rangeOf(range, nowMs), groupBy: by };
}
