/** Hours ahead at which forecasts are scored against actual demand. */
export const LEADS = [1, 3, 6, 9, 12, 18, 24, 36, 48, 60, 72, 96, 120, 144, 168, 216, 264, 336] as const;
/** Upper ends of the groups of leads that share a model and a spread, hours. */
const GROUP_ENDS = [6, 24, 72, 168] as const;
export const LEAD_GROUPS = GROUP_ENDS.length + 1;

export function leadGroup(lead: number): number {
	const group = GROUP_ENDS.findIndex((end) => lead <= end);
	return group < 0 ? GROUP_ENDS.length : group;
}

export const HOURS_PER_WEEK = 168;
/** 1970-01-01 was a Thursday: Monday is three days before it. */
const MONDAY_OFFSET_HOURS = 72;
const SUNDAY = 6;
/** Days on which most offices worldwide are closed, MM-DD. Others are given by date. */
const HOLIDAYS = new Set(["01-01", "12-25", "12-26"]);

/** Hour of the week, starting Monday 00:00 UTC. `hour` counts since 1970; a holiday is a Sunday. */
export function seasonOf(hour: number, holidays: ReadonlySet<string>): number {
	const date = new Date(Math.floor(hour / 24) * 86_400_000).toISOString().slice(0, 10);
	const ofDay = hour % 24;
	if (HOLIDAYS.has(date.slice(5)) || holidays.has(date)) return SUNDAY * 24 + ofDay;
	return (hour + MONDAY_OFFSET_HOURS) % HOURS_PER_WEEK;
}
