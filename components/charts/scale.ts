import { formatClock, formatClockSeconds, formatDay } from "#components/time/format-time.ts";

export type Scale = (value: number) => number;

export function linear(d0: number, d1: number, r0: number, r1: number): Scale {
	const span = d1 - d0 || 1;
	return (value) => r0 + ((value - d0) / span) * (r1 - r0);
}

/** A round step (1, 2, 2.5 or 5 times a power of ten) that parts `span` into at most `parts`. */
export function niceStep(span: number, parts: number): number {
	if (!(span > 0)) return 1;
	const raw = span / Math.max(1, parts);
	const power = 10 ** Math.floor(Math.log10(raw));
	for (const factor of [1, 2, 2.5, 5]) if (raw <= factor * power * 1.0000001) return factor * power;
	return 10 * power;
}

/** Round values from 0 to at least `max`. `whole` keeps to integers, for things that are counted. */
export function niceTicks(max: number, parts: number, whole = false): number[] {
	const step = whole ? Math.max(1, Math.ceil(niceStep(max, parts))) : niceStep(max, parts);
	const count = Math.max(1, Math.ceil(max / step - 1e-9));
	return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)));
}

/** Round values from at most `min` to at least `max`, 0 among them. */
export function niceTicksBetween(min: number, max: number, parts: number): number[] {
	const step = niceStep(max - min, parts);
	const [first, last] = [Math.floor(min / step + 1e-9), Math.ceil(max / step - 1e-9)];
	return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
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

export type TimeTick = { atMs: number; label: string /** Midnight on an axis of hours: the day is said here. */; major: boolean };

/** Times of the clock (UTC) within [from, to], at most `most` of them. */
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

/** Moves labels apart that would overlap, keeping their order and staying within [top, bottom]. */
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

/** One decimal of a pixel is enough, and keeps paths short. */
export const px = (value: number): string => String(Math.round(value * 10) / 10);
