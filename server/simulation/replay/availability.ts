import type { Availability } from "./types.ts";

/** Whether machines can be had `elapsedMs` after the replay began. */
export function isAvailable(trace: Availability, elapsedMs: number): boolean {
	return trace.available[segmentAt(trace, placeIn(trace, elapsedMs))] ?? true;
}

/**
 * When machines that are there `elapsedMs` after the begin are taken: the next moment without, ms after the begin;
 * `elapsedMs` itself when there are none; infinite when the trace never says no.
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
