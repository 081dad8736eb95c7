import { type Calendar, offsetChanges } from "#server/accounting/zone.ts";
import { type PrewarmHours, WEEKDAYS } from "#server/domain/policy.ts";
import { DAY_MS, MINUTE_MS } from "#server/kernel/units.ts";

/** 1970-01-01 was a Thursday: Monday is three days before it. */
const MONDAY_OFFSET_DAYS = 3;

/** Start of the hours that include a moment, UTC ms; null: none does. Days and times are those of the calendar's time zone. */
export function hoursSince({ days, fromMinute, toMinute }: PrewarmHours, calendar: Calendar, atMs: number): number | null {
	const offsetMs = offsetChanges(calendar, atMs).findLast((change) => change.atMs <= atMs)?.offsetMs ?? 0;
	const localMs = atMs + offsetMs;
	const day = Math.floor(localMs / DAY_MS);
	const ofDayMs = localMs - day * DAY_MS;
	const weekday = WEEKDAYS[(((day + MONDAY_OFFSET_DAYS) % 7) + 7) % 7];
	if (!days.some((name) => name === weekday) || ofDayMs < fromMinute * MINUTE_MS || ofDayMs >= toMinute * MINUTE_MS) return null;
	return atMs - ofDayMs + fromMinute * MINUTE_MS;
}
