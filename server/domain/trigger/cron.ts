/** A crontab schedule, parsed. */
export interface CronSchedule {
	minutes: ReadonlySet<number>;
	hours: ReadonlySet<number>;
	days: ReadonlySet<number>;
	months: ReadonlySet<number>;
	weekdays: ReadonlySet<number>;
	/** As in crontab: when both are restricted, a day matches either. */
	isEitherDay: boolean;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Every schedule that can fire does so within this time; 29 February can be eight years away. */
const SEARCH_DAYS = 9 * 366;

/** Parses five fields with lists, ranges, steps and English names. Returns an error message for an invalid schedule. */
export function parseCron(text: string): CronSchedule | string {
	const fields = text.trim().split(/\s+/);
	if (fields.length !== 5) return "must have five fields: minute, hour, day of month, month, day of week, for example 0 6 * * mon";
	const [minute = "", hour = "", day = "", month = "", weekday = ""] = fields;
	const sets = [
		parseField(minute, { name: "minute", min: 0, max: 59 }),
		parseField(hour, { name: "hour", min: 0, max: 23 }),
		parseField(day, { name: "day of month", min: 1, max: 31 }),
		parseField(month, { name: "month", min: 1, max: 12, names: MONTHS }),
		parseField(weekday, { name: "day of week", min: 0, max: 7, names: WEEKDAYS }),
	];
	const wrong = sets.find((set) => typeof set === "string");
	if (wrong !== undefined) return wrong;
	const [minutes, hours, days, months, weekdays] = sets as Set<number>[];
	if (!minutes || !hours || !days || !months || !weekdays) return "cannot be read";
	if (weekdays.has(7)) weekdays.add(0);
	return { minutes, hours, days, months, weekdays, isEitherDay: !day.startsWith("*") && !weekday.startsWith("*") };
}

interface Field {
	name: string;
	min: number;
	max: number;
	names?: readonly string[];
}

function parseField(text: string, field: Field): Set<number> | string {
	const values = new Set<number>();
	for (const part of text.split(",")) {
		const [, range = "", step] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(part) ?? [];
		const [from, until] = range === "*" ? [field.min, field.max] : boundsOf(range, field, step !== undefined);
		const by = step === undefined ? 1 : Number(step);
		if (Number.isNaN(from) || Number.isNaN(until) || from < field.min || until > field.max || from > until || by < 1)
			return `has ${part === "" ? "an empty part" : part} in the ${field.name}; allowed are ${field.min} to ${field.max}, ranges and steps`;
		for (let value = from; value <= until; value += by) values.add(value);
	}
	return values;
}

function boundsOf(range: string, field: Field, hasStep: boolean): [number, number] {
	const [first = "", last] = range.split("-");
	const from = numberOf(first, field);
	return [from, last === undefined ? (hasStep ? field.max : from) : numberOf(last, field)];
}

function numberOf(text: string, { names, min }: Field): number {
	const at = names?.indexOf(text.toLowerCase()) ?? -1;
	if (at >= 0) return at + min;
	return /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
}

/** Whether the host has the time zone. */
export function isTimeZone(zone: string): boolean {
	try {
		new Intl.DateTimeFormat("en", { timeZone: zone });
		return true;
	} catch {
		return false;
	}
}

/**
 * The first time of the schedule after `afterMs`, UTC ms; null when there is none. Times are local to the zone. A time
 * skipped by the change to summer time fires an hour later; a repeated time fires only the first time.
 */
export function nextCronTime(schedule: CronSchedule, zone: string, afterMs: number): number | null {
	const offsetOf = makeOffset(zone);
	const localAfter = afterMs + offsetOf(afterMs);
	// Start a day earlier: around a clock change the local time can go back.
	let dayMs = Math.floor(localAfter / DAY_MS) * DAY_MS - DAY_MS;
	for (let i = 0; i < SEARCH_DAYS; i++, dayMs += DAY_MS) {
		if (!matchesDay(schedule, new Date(dayMs))) continue;
		for (const hour of sorted(schedule.hours))
			for (const minute of sorted(schedule.minutes)) {
				const utc = utcOf(dayMs + (hour * 60 + minute) * MINUTE_MS, offsetOf);
				if (utc > afterMs) return utc;
			}
	}
	return null;
}

function sorted(values: ReadonlySet<number>): number[] {
	return [...values].sort((a, b) => a - b);
}

/** @param date local midnight, expressed as UTC */
function matchesDay({ days, months, weekdays, isEitherDay }: CronSchedule, date: Date): boolean {
	if (!months.has(date.getUTCMonth() + 1)) return false;
	const [byDay, byWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
	return isEitherDay ? byDay || byWeekday : byDay && byWeekday;
}

/** The first instant at which clocks in the zone show this time; for a skipped time the instant an hour later. */
function utcOf(localMs: number, offsetOf: (utcMs: number) => number): number {
	const before = offsetOf(localMs - DAY_MS);
	const first = localMs - before;
	if (offsetOf(first) === before) return first;
	const second = localMs - offsetOf(first);
	return offsetOf(second) === offsetOf(first) ? second : first;
}

/** Local time minus UTC, ms. */
function makeOffset(zone: string): (utcMs: number) => number {
	const format = new Intl.DateTimeFormat("en-US", {
		...({ timeZone: zone, hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit" } as const),
		...({ hour: "2-digit", minute: "2-digit", second: "2-digit" } as const),
	});
	return (utcMs) => {
		const parts = Object.fromEntries(format.formatToParts(utcMs).map(({ type, value }) => [type, Number(value)]));
		const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
		return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(utcMs / 1_000) * 1_000;
	};
}
