import { px, type Scale } from "#components/charts/scale.ts";

/** A measured value that holds from its time until the next point. null: not measured, which is a gap and never zero. */
export type StepPoint = readonly [atMs: number, value: number | null];
/** A forecast value; between two of them a straight line. */
export type SlopePoint = readonly [atMs: number, value: number];

/** The value that holds at a time; null before the first point and in gaps. */
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

/** The value on the line at a time, held at its ends; null without points. */
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

/** Every time at which any of the series changes within [from, to], with both ends. */
export function changeTimes(series: readonly (readonly (readonly [number, ...unknown[]])[])[], fromMs: number, toMs: number): number[] {
	const times = new Set<number>([fromMs, toMs]);
	for (const points of series) for (const [at] of points) if (at > fromMs && at < toMs) times.add(at);
	return [...times].sort((a, b) => a - b);
}

/** Stretches of neighbouring times in which `known` holds, as lists of times; the last of each is where it ends. */
export function knownRuns(times: readonly number[], known: (atMs: number) => boolean): number[][] {
	const runs: number[][] = [];
	let run: number[] = [];
	times.forEach((at, i) => {
		const last = i === times.length - 1;
		if (!last && known(at)) run.push(at);
		else if (run.length > 0) {
			runs.push([...run, at]);
			run = [];
		}
	});
	return runs;
}

/** The outline of a band between two step functions over one run of times. */
export function stepArea(
	run: readonly number[],
	low: (atMs: number) => number,
	high: (atMs: number) => number,
	x: Scale,
	y: Scale,
): string {
	const steps = run.slice(0, -1);
	if (steps.length === 0) return "";
	const end = (i: number) => px(x(run[i + 1] ?? 0));
	const top = steps.map((at, i) => `${i === 0 ? `M${px(x(at))} ` : "V"}${px(y(high(at)))}H${end(i)}`).join("");
	const bottom = [...steps]
		.reverse()
		.map((at) => `V${px(y(low(at)))}H${px(x(at))}`)
		.join("");
	return `${top}${bottom}Z`;
}

export function stepLine(run: readonly number[], value: (atMs: number) => number, x: Scale, y: Scale): string {
	return run
		.slice(0, -1)
		.map((at, i) => `${i === 0 ? `M${px(x(at))} ` : "V"}${px(y(value(at)))}H${px(x(run[i + 1] ?? at))}`)
		.join("");
}

export function slopeArea(
	times: readonly number[],
	low: (atMs: number) => number,
	high: (atMs: number) => number,
	x: Scale,
	y: Scale,
): string {
	if (times.length < 2) return "";
	const point = (at: number, value: number) => `${px(x(at))} ${px(y(value))}`;
	return `M${times.map((at) => point(at, high(at))).join("L")}L${[...times]
		.reverse()
		.map((at) => point(at, low(at)))
		.join("L")}Z`;
}

export function slopeLine(times: readonly number[], value: (atMs: number) => number, x: Scale, y: Scale): string {
	return times.length < 2 ? "" : `M${times.map((at) => `${px(x(at))} ${px(y(value(at)))}`).join("L")}`;
}
