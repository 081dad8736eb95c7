import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";

/** Dates of the ledger's calendar, as `2026-11-30`, and the instants at which they begin. */
const formats = new Map<string, Intl.DateTimeFormat>();

export function dateOf(atMs: number, zone: string): string {
	if (zone === "UTC") return new Date(atMs).toISOString().slice(0, 10);
	const format =
		formats.get(zone) ?? new Intl.DateTimeFormat("en-US", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" });
	formats.set(zone, format);
	const part = Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
	return `${part["year"]?.padStart(4, "0")}-${part["month"]}-${part["day"]}`;
}

/** The first instant of a date: midnight, or what follows it where a midnight is left out. */
export function startOfDate(date: string, zone: string): number {
	const midnightMs = Date.parse(`${date}T00:00:00Z`);
	if (zone === "UTC") return midnightMs;
	// Clocks are at most 14 hours from UTC: what is looked for lies between.
	let [before, after] = [midnightMs - 15 * HOUR_MS, midnightMs + 15 * HOUR_MS];
	while (after - before > 1) {
		const middle = Math.floor((before + after) / 2);
		if (dateOf(middle, zone) >= date) after = middle;
		else before = middle;
	}
	return after;
}

/** Midnight in UTC of the same date: what the formats of days and months take. */
export const shownMs = (date: string): number => Date.parse(`${date}T00:00:00Z`);
const textOf = (utcMs: number): string => new Date(utcMs).toISOString().slice(0, 10);

export const addDays = (date: string, days: number): string => textOf(shownMs(date) + days * DAY_MS);

/** The first of the month that lies `months` after the date's own. */
export function monthStart(date: string, months = 0): string {
	const at = new Date(shownMs(date));
	return textOf(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1));
}

/** A real date, of years that a ledger can have. */
export function isDate(text: string): boolean {
	if (!/^(19[7-9]\d|20\d\d|21\d\d)-\d\d-\d\d$/.test(text)) return false;
	const atMs = shownMs(text);
	return !Number.isNaN(atMs) && textOf(atMs) === text;
}
