import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";

/** Ledger dates such as `2026-11-30`, and the instants at which they start. */
const formats = new Map<string, Intl.DateTimeFormat>();

export function dateOf(atMs: number, zone: string): string {
	if (zone === "UTC") return new Date(atMs).toISOString().slice(0, 10);
	const format =
		formats.get(zone) ?? new Intl.DateTimeFormat("en-US", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" });
	formats.set(zone, format);
	const part = Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
	return `${part["year"]?.padStart(4, "0")}-${part["month"]}-${part["day"]}`;
}

/** First instant of a date: midnight, or the next instant if daylight saving skips it. */
export function startOfDate(date: string, zone: string): number {
	const midnightMs = Date.parse(`${date}T00:00:00Z`);
	if (zone === "UTC") return midnightMs;
	// Zones are at most 14 hours from UTC, so the result is within these bounds.
	let [before, after] = [midnightMs - 15 * HOUR_MS, midnightMs + 15 * HOUR_MS];
	while (after - before > 1) {
		const middle = Math.floor((before + after) / 2);
		if (dateOf(middle, zone) >= date) after = middle;
		else before = middle;
	}
	return after;
}

/** UTC midnight of the date, as the day and month formats expect. */
export const shownMs = (date: string): number => Date.parse(`${date}T00:00:00Z`);
const textOf = (utcMs: number): string => new Date(utcMs).toISOString().slice(0, 10);

export const addDays = (date: string, days: number): string => textOf(shownMs(date) + days * DAY_MS);

/** First day of the month `months` after the date's month. */
export function monthStart(date: string, months = 0): string {
	const at = new Date(shownMs(date));
	return textOf(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1));
}

/** A valid date in a year that a ledger can have. */
export function isDate(text: string): boolean {
	if (!/^(19[7-9]\d|20\d\d|21\d\d)-\d\d-\d\d$/.test(text)) return false;
	const atMs = shownMs(text);
	return !Number.isNaN(atMs) && textOf(atMs) === text;
}
