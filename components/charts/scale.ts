import { formatClock, formatClockSeconds, formatDay } from "#components/time/format-time.ts";

export type Scale = (value: number) => number;

export function linear(d0: number, d1: number, r0: number, r1: number): Scale {
	const span = d1 - d0 || 1;
	return (value) => r0 + ((value - d0) / span) * (r1 - r0);
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
	SECOND,
	2 * SECOND,
	5 * SECOND,
	10 * SECOND,
	15 * SECOND,
	30 * SECOND,
	MINUTE,
	2 * MINUTE,
	5 * MINUTE,
	10 * MINUTE,
	15 * MINUTE,
	30 * MINUTE,
	HOUR,
	2 * HOUR,
	3 * HOUR,
	6 * HOUR,
	12 * HOUR,
	DAY,
	2 * DAY,
	7 * DAY,
	14 * DAY,
	28 * DAY,
];

export type TimeTick = { atMs: number; label: string /** Midnight on an hourly axis, labeled with the date. */; major: boolean };

/** Clock times (UTC) within [from, to], at most `most`. */
export function timeTicks(fromMs: number, toMs: number, most: number): TimeTick[] {
	const step = STEPS.find((s) => (toMs - fromMs) / s <= most) ?? 28 * DAY;
	const ticks: TimeTick[] = [];
	for (let at = Math.ceil(fromMs / step) * step; at <= toMs; at += step) {
		const midnight = at % DAY === 0;
		ticks.push({
			atMs: at,
			label: step >= DAY ? formatDay(at, false) : midnight ? formatDay(at) : step < MINUTE ? formatClockSeconds(at) : formatClock(at),
			major: midnight && step < DAY,
		});
	}
	return ticks;
}

/** Separates overlapping labels, keeping order and bounds [top, bottom]. */
export function spreadLabels(wanted: readonly number[], height: number, top: number, bottom: number): number[] {
	const order = wanted.map((y, i) => ({ y, i })).sort((a, b) => a.y - b.y);
	let floor = top;
	for (const each of order) {
		each.y = Math.max(each.y, floor);
		floor = each.y + height;
	}
	let ceiling = bottom;
	for (const each of [...order].reverse()) {
		each.y = Math.min(each.y, ceiling);
		ceiling = each.y - height;
	}
	const out = [...wanted];
	for (const each of order) out[each.i] = each.y;
	return out;
}

/** One decimal of a pixel is precise enough and keeps paths short. */
export const px = (value: number): string => String(Math.round(value * 10) / 10);
