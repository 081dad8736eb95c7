import { SpillwayError } from "#server/kernel/errors.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";

/** How a time zone counts days. Days are numbered as dates: day 0 is 1970-01-01 on that calendar. */
export interface Calendar {
	/** Name of the IANA time zone database, e.g. `Europe/Berlin`. */
	readonly zone: string;
	/** Whether every midnight since 1970 is a whole UTC hour; false for zones such as Asia/Kolkata. */
	readonly wholeHours: boolean;
}

export const UTC: Calendar = { zone: "UTC", wholeHours: true };

/** From this instant on, clocks are this far ahead of UTC. */
export interface OffsetChange {
	atMs: number;
	offsetMs: number;
}

/** UTC offsets of zones range from -12 to +14 hours. */
const OFFSET_MAX_MS = 14 * HOUR_MS;
/** Number of days that a zone caches: 270 years, or a bound when it is queried for random instants. */
const MEMORY_MAX = 100_000;

interface Memory {
	format: Intl.DateTimeFormat;
	/** Since 1970, up to when they were determined; the first applies to all earlier times. */
	changes: { found: OffsetChange[]; untilMs: number };
	starts: Map<number, number>;
	/** The last day queried: most consecutive instants are on the same day. */
	last: { day: number; fromMs: number; toMs: number } | null;
}
const calendars = new Map<string, Calendar>([["UTC", UTC]]);
const memories = new Map<string, Memory>();

/**
 * The calendar of a time zone.
 * @throws SpillwayError `invalid_input` when this machine does not have the zone
 */
export function calendarOf(zone: string): Calendar {
	const known = calendars.get(zone);
	if (known) return known;
	if (!isZone(zone)) {
		throw new SpillwayError("invalid_input", `There is no time zone "${zone.slice(0, 64)}".`, {
			fields: [{ path: "zone", message: "must be a name of the IANA time zone database" }],
			fix: 'Give a name such as "UTC", "Europe/Berlin" or "America/New_York".',
		});
	}
	memories.set(zone, newMemory(zone));
	const calendar = { zone, wholeHours: hasWholeHours(zone) };
	calendars.set(zone, calendar);
	return calendar;
}

/** Offsets such as `+01:00` are not time zones: they have no daylight saving, and databases interpret their sign in two ways. */
export function isZone(zone: string): boolean {
	if (!/^[A-Z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(zone)) return false;
	try {
		formatOf(zone);
		return true;
	} catch {
		return false;
	}
}

/** Number of the day that contains the instant. */
export function dayNumberOf(calendar: Calendar, atMs: number): number {
	if (calendar.zone === "UTC") return Math.floor(atMs / DAY_MS);
	const memory = memoryOf(calendar);
	if (memory.last && atMs >= memory.last.fromMs && atMs < memory.last.toMs) return memory.last.day;
	let day = localDay(memory, atMs);
	// When clocks go back over midnight, a date occurs twice; days are whole, so the first midnight ends the previous
	// day.
	while (dayStartMs(calendar, day + 1) <= atMs) day++;
	while (dayStartMs(calendar, day) > atMs) day--;
	memory.last = { day, fromMs: dayStartMs(calendar, day), toMs: dayStartMs(calendar, day + 1) };
	return day;
}

/** The first instant of a day: midnight, or the instant after a skipped midnight. */
export function dayStartMs(calendar: Calendar, day: number): number {
	if (calendar.zone === "UTC") return day * DAY_MS;
	const memory = memoryOf(calendar);
	const known = memory.starts.get(day);
	if (known !== undefined) return known;
	const start = findDayStart(memory, day);
	if (memory.starts.size >= MEMORY_MAX) memory.starts.clear();
	memory.starts.set(day, start);
	return start;
}

/** Clock changes since 1970, in order of time, at least up to the instant; the first entry is the initial offset. */
export function offsetChanges(calendar: Calendar, untilMs: number): readonly OffsetChange[] {
	if (calendar.zone === "UTC") return UTC_CHANGES;
	const memory = memoryOf(calendar);
	const { changes } = memory;
	while (changes.untilMs <= untilMs) {
		const [fromMs, toMs] = [changes.untilMs, changes.untilMs + LOOK_EVERY_MS];
		if (offsetMs(memory, fromMs) !== offsetMs(memory, toMs)) changes.found.push(findChange(memory, fromMs, toMs));
		changes.untilMs = toMs;
	}
	return changes.found;
}

const UTC_CHANGES: readonly OffsetChange[] = [{ atMs: 0, offsetMs: 0 }];
/** No zone changes its clocks twice in this time. */
const LOOK_EVERY_MS = 7 * DAY_MS;

function findChange(memory: Memory, fromMs: number, toMs: number): OffsetChange {
	const before = offsetMs(memory, fromMs);
	let [low, high] = [fromMs, toMs];
	while (high - low > 1_000) {
		const middle = Math.floor((low + high) / 2_000) * 1_000;
		if (offsetMs(memory, middle) === before) low = middle;
		else high = middle;
	}
	return { atMs: high, offsetMs: offsetMs(memory, high) };
}

function findDayStart(memory: Memory, day: number): number {
	const midnightMs = day * DAY_MS;
	const guess = midnightMs - offsetMs(memory, midnightMs - offsetMs(memory, midnightMs));
	if (localDay(memory, guess) === day && localDay(memory, guess - 1) < day) return guess;
	let before = midnightMs - OFFSET_MAX_MS - 1;
	let after = midnightMs + OFFSET_MAX_MS;
	while (after - before > 1) {
		const middle = Math.floor((before + after) / 2);
		if (localDay(memory, middle) >= day) after = middle;
		else before = middle;
	}
	return after;
}

function localDay(memory: Memory, atMs: number): number {
	return Math.floor((atMs + offsetMs(memory, atMs)) / DAY_MS);
}

/** Local time of the zone minus UTC at the instant. */
function offsetMs({ format }: Memory, atMs: number): number {
	const second = Math.floor(atMs / 1_000) * 1_000;
	const part: Record<string, number> = {};
	for (const { type, value } of format.formatToParts(second)) part[type] = Number(value);
	const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: s = 0 } = part;
	return Date.UTC(year, month - 1, day, hour, minute, s) - second;
}

function formatOf(zone: string): Intl.DateTimeFormat {
	return new Intl.DateTimeFormat("en-US", {
		timeZone: zone,
		hourCycle: "h23",
		year: "numeric",
		month: "numeric",
		day: "numeric",
		hour: "numeric",
		minute: "numeric",
		second: "numeric",
	});
}

/** Compares a winter and a summer day of each year up to 2100. */
function hasWholeHours(zone: string): boolean {
	const memory = newMemory(zone);
	for (let year = 1970; year <= 2100; year++) {
		for (const month of [0, 6]) if (offsetMs(memory, Date.UTC(year, month, 1)) % HOUR_MS !== 0) return false;
	}
	return true;
}

function memoryOf({ zone }: Calendar): Memory {
	const memory = memories.get(zone);
	if (memory) return memory;
	const made = newMemory(zone);
	memories.set(zone, made);
	return made;
}

function newMemory(zone: string): Memory {
	const memory: Memory = { format: formatOf(zone), changes: { found: [], untilMs: 0 }, starts: new Map(), last: null };
	memory.changes.found.push({ atMs: 0, offsetMs: offsetMs(memory, 0) });
	return memory;
}
