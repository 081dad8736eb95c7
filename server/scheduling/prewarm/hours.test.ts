import { expect, it } from "vitest";
import { calendarOf, UTC } from "#server/accounting/zone.ts";
import { hoursSince } from "./hours.ts";

const OFFICE = { days: ["mon" as const, "fri" as const], fromMinute: 8 * 60, toMinute: 18 * 60 };

it.each([
	["Monday at 8:00", "2026-01-05T08:00:00Z", "2026-01-05T08:00:00Z"],
	["just before", "2026-01-05T07:59:59Z", null],
	["Friday at 17:59", "2026-01-09T17:59:00Z", "2026-01-09T08:00:00Z"],
	["Friday at 18:00", "2026-01-09T18:00:00Z", null],
	["Tuesday at noon", "2026-01-06T12:00:00Z", null],
])("knows the hours in UTC: %s", (_, at, since) => {
	expect(hoursSince(OFFICE, UTC, Date.parse(at))).toBe(since && Date.parse(since));
});

it("follows the time zone, summer time included", () => {
	const berlin = calendarOf("Europe/Berlin");
	expect(hoursSince(OFFICE, berlin, Date.parse("2026-01-05T07:30:00Z"))).toBe(Date.parse("2026-01-05T07:00:00Z"));
	expect(hoursSince(OFFICE, berlin, Date.parse("2026-07-06T06:30:00Z"))).toBe(Date.parse("2026-07-06T06:00:00Z"));
	expect(hoursSince(OFFICE, berlin, Date.parse("2026-07-06T16:30:00Z"))).toBeNull();
});

it("includes the whole day until midnight", () => {
	expect(hoursSince({ days: ["sun"], fromMinute: 0, toMinute: 1440 }, UTC, Date.parse("2026-01-04T23:59:59Z"))).not.toBeNull();
});
