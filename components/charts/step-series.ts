/** A measured value that holds until the next point. null means no data, never zero. */
export type StepPoint = readonly [atMs: number, value: number | null];
/** A forecast value; linear in between. */
export type SlopePoint = readonly [atMs: number, value: number];

/** The value at a time; null before the first point and in gaps. */
export function stepAt(points: readonly StepPoint[], atMs: number): number | null {
	let low = 0;
	let high = points.length - 1;
	let found: number | null = null;
	while (low <= high) {
		const middle = (low + high) >> 1;
		const point = points[middle];
		if (point && point[0] <= atMs) {
			found = point[1];
			low = middle + 1;
		} else high = middle - 1;
	}
	return found;
}

/** The interpolated value at a time, constant outside; null without points. */
export function slopeAt(points: readonly SlopePoint[], atMs: number): number | null {
	const first = points[0];
	const last = points.at(-1);
	if (!first || !last) return null;
	if (atMs <= first[0]) return first[1];
	for (let i = 1; i < points.length; i++) {
		const a = points[i - 1];
		const b = points[i];
		if (a && b && atMs <= b[0]) return a[1] + ((b[1] - a[1]) * (atMs - a[0])) / (b[0] - a[0] || 1);
	}
	return last[1];
}

/** All change times of the series within [from, to], including both ends. */
export function changeTimes(series: readonly (readonly (readonly [number, ...unknown[]])[])[], fromMs: number, toMs: number): number[] {
	const times = new Set<number>([fromMs, toMs]);
	for (const points of series) for (const [at] of points) if (at > fromMs && at < toMs) times.add(at);
	return [...times].sort((a, b) => a - b);
}
