const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

const two = (value: number) => String(value).padStart(2, "0");

/**
 * Formats a duration: "0.4 s", "42 s", "42 min", "1 h 05", "6 h", "2 d 14 h". `precise` keeps seconds below an hour: "3 min 10
 * s".
 */
export function formatSpan(ms: number, precise = false): string {
	const sign = ms < 0 ? "−" : "";
	const abs = Math.abs(ms);
	if (abs < 0.5) return "0 s";
	if (abs < 9_950) return `${sign}${abs < 950 ? (abs / SECOND).toFixed(1) : String(Math.round(abs / 100) / 10)} s`;
	const seconds = Math.round(abs / SECOND);
	if (seconds < 60) return `${sign}${seconds} s`;
	if (precise && seconds < 3600) return `${sign}${Math.floor(seconds / 60)} min${seconds % 60 ? ` ${two(seconds % 60)} s` : ""}`;
	const minutes = Math.round(abs / MINUTE);
	if (minutes < 60) return `${sign}${minutes} min`;
	if (minutes < 48 * 60) return `${sign}${Math.floor(minutes / 60)} h${minutes % 60 ? ` ${two(minutes % 60)}` : ""}`;
	const hours = Math.round(abs / HOUR);
	return hours % 24 ? `${sign}${Math.floor(hours / 24)} d ${hours % 24} h` : `${sign}${hours / 24} d`;
}

/** "14:32" UTC. */
export function formatClock(atMs: number): string {
	const d = new Date(atMs);
	return `${two(d.getUTCHours())}:${two(d.getUTCMinutes())}`;
}

/** "14:32:05" UTC. */
export function formatClockSeconds(atMs: number): string {
	return `${formatClock(atMs)}:${two(new Date(atMs).getUTCSeconds())}`;
}

/** "Thu 19 Nov" UTC. */
export function formatDay(atMs: number, weekday = true): string {
	const d = new Date(atMs);
	return `${weekday ? `${WEEKDAYS[d.getUTCDay()]} ` : ""}${d.getUTCDate()} ${MONTHS[d.getUTCMonth()]}`;
}

/** "November 2026" UTC. */
export function formatMonth(atMs: number): string {
	return new Date(atMs).toLocaleDateString("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });
}

/** Exact time for hover: "Thu 19 Nov 2026, 14:32:05 UTC". */
export function formatExact(atMs: number): string {
	const d = new Date(atMs);
	return `${formatDay(atMs)} ${d.getUTCFullYear()}, ${formatClockSeconds(atMs)} UTC`;
}

/** Shortest unambiguous form: "14:32" today, "Wed 17:26" within six days, "19 Nov" this year, else "19 Nov 2025". */
export function formatShort(atMs: number, nowMs: number): string {
	const sameDay = Math.floor(atMs / DAY) === Math.floor(nowMs / DAY);
	if (sameDay) return formatClock(atMs);
	if (Math.abs(atMs - nowMs) < 6 * DAY) return `${WEEKDAYS[new Date(atMs).getUTCDay()]} ${formatClock(atMs)}`;
	const year = new Date(atMs).getUTCFullYear();
	return year === new Date(nowMs).getUTCFullYear() ? formatDay(atMs, false) : `${formatDay(atMs, false)} ${year}`;
}

/** Clocks of browser, server and database may differ by this much. */
const SKEW = 5 * SECOND;

/** "4 s ago", "18 min ago", "in 4 min", "just now". After a week, the date. Clamps clock skew to "just now". */
export function formatRelative(atMs: number, nowMs: number): string {
	const delta = atMs - nowMs;
	const abs = Math.abs(delta);
	if (abs < SECOND || (delta > 0 && delta <= SKEW)) return "just now";
	if (abs >= 7 * DAY) return formatShort(atMs, nowMs);
	const whole = abs < MINUTE ? Math.floor(abs / SECOND) * SECOND : abs;
	const span = formatSpan(whole);
	return delta < 0 ? `${span} ago` : `in ${span}`;
}
