import type { Availability } from "./types.ts";

/** Whether capacity is available `elapsedMs` after the replay began. */
export function isAvailable(trace: Availability, elapsedMs: number): boolean {
	return trace.available[segmentAt(trace, placeIn(trace, elapsedMs))] ?? true;
}

/**
 * When capacity that is available at `elapsedMs` next becomes unavailable, ms after the start. Returns `elapsedMs` itself when none is
 * available, and infinity when the trace is never unavailable.
 */
export function availableUntil(trace: Availability, elapsedMs: number): number {
	const place = placeIn(trace, elapsedMs);
	const first = segmentAt(trace, place);
	const { length } = trace.startsMs;
	let atMs = elapsedMs - place;
	for (let step = 0; step <= length; step++) {
		const i = (first + step) % length;
		if (step > 0 && i === 0) atMs += trace.lengthMs;
		if (trace.available[i] === false) return step === 0 ? elapsedMs : atMs + (trace.startsMs[i] ?? 0);
	}
	return Number.POSITIVE_INFINITY;
}

/** Whether capacity is available at any moment of [fromMs, toMs), ms after the replay began. */
export function isAvailableWithin(trace: Availability, fromMs: number, toMs: number): boolean {
	const place = placeIn(trace, fromMs);
	const first = segmentAt(trace, place);
	const { length } = trace.startsMs;
	let loopMs = fromMs - place;
	for (let step = 0; step <= length; step++) {
		const i = (first + step) % length;
		if (step > 0 && i === 0) loopMs += trace.lengthMs;
		if (step > 0 && loopMs + (trace.startsMs[i] ?? 0) >= toMs) return false;
		if (trace.available[i] ?? true) return true;
	}
	return length === 0;
}

/** Shortens runs and gaps by this factor: the share of time stays the same, and changes are that many times as frequent. */
export function fasterAvailability(trace: Availability, times: number): Availability {
	const scaled = (ms: number): number => Math.round(ms / times);
	return {
		...trace,
		startsMs: trace.startsMs.map(scaled),
		lengthMs: Math.max(1, scaled(trace.lengthMs)),
		offsetMs: Math.min(scaled(trace.offsetMs), Math.max(0, scaled(trace.lengthMs) - 1)),
	};
}

function placeIn(trace: Availability, elapsedMs: number): number {
	return (trace.offsetMs + elapsedMs) % trace.lengthMs;
}

function segmentAt(trace: Availability, placeMs: number): number {
	let low = 0;
	for (let high = trace.startsMs.length - 1; low < high; ) {
		const middle = (low + high + 1) >> 1;
		if ((trace.startsMs[middle] ?? 0) <= placeMs) low = middle;
		else high = middle - 1;
	}
	return low;
}
