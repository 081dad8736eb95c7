import { linear, px, timeTicks } from "./scale.ts";

/** Sorted finish times of one way of running, in milliseconds. */
export type Outcomes = { id: string; label: string; place: "owned" | "cloud"; sortedMs: readonly number[] };
export type DistributionInput = { ways: readonly Outcomes[]; deadlineMs?: number | null };

const BINS = 60;

/** How many of 100 are after the deadline. */
export function lateOf100(sortedMs: readonly number[], deadlineMs: number): number {
	if (sortedMs.length === 0) return 0;
	return (100 * sortedMs.filter((at) => at > deadlineMs).length) / sortedMs.length;
}

const quantile = (sorted: readonly number[], p: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? 0;

export function prepareDistribution(input: DistributionInput, box: { width: number; height: number }) {
	const known = input.ways.filter((way) => way.sortedMs.length > 0);
	const deadline = input.deadlineMs ?? null;
	const lows = known.map((way) => quantile(way.sortedMs, 0.005));
	const highs = known.map((way) => quantile(way.sortedMs, 0.995));
	const span = Math.max(60_000, Math.max(...highs) - Math.min(...lows));
	const near = deadline !== null && deadline > Math.min(...lows) - span && deadline < Math.max(...highs) + span;
	const fromMs = Math.min(...lows, ...(near && deadline !== null ? [deadline] : [])) - span * 0.08;
	const toMs = Math.max(...highs, ...(near && deadline !== null ? [deadline] : [])) + span * 0.08;
	const x = linear(fromMs, toMs, 0, box.width);
	const base = box.height - 20;
	const width = (toMs - fromMs) / BINS;
	const density = known.map((way) => ({ way, points: smooth(way.sortedMs, fromMs, toMs, width) }));
	const top = Math.max(1e-9, ...density.flatMap((d) => d.points.map((p) => p[1])));
	const y = linear(0, top, base, 36);
	const path = (points: readonly (readonly [number, number])[]) => `M${points.map(([at, v]) => `${px(x(at))} ${px(y(v))}`).join("L")}`;
	const close = (points: readonly (readonly [number, number])[]) =>
		points.length > 1 ? `${path(points)}L${px(x(points.at(-1)?.[0] ?? 0))} ${base}L${px(x(points[0]?.[0] ?? 0))} ${base}Z` : "";
	return {
		base,
		deadlineX: near && deadline !== null ? x(deadline) : null,
		ticks: timeTicks(fromMs, toMs, Math.max(2, Math.floor(box.width / 80))).map((tick) => ({ ...tick, x: x(tick.atMs) })),
		curves: density.map(({ way, points }) => {
			const peak = points.reduce((a, b) => (b[1] > a[1] ? b : a), points[0] ?? ([fromMs, 0] as const));
			return {
				id: way.id,
				label: way.label,
				place: way.place,
				line: path(points),
				area: close(points),
				late: deadline === null ? "" : close(points.filter(([at]) => at >= deadline)),
				lateOf100: deadline === null ? 0 : lateOf100(way.sortedMs, deadline),
				peak: { x: x(peak[0]), y: y(peak[1]) },
			};
		}),
	};
}

/** A kernel estimate with a width of two bins: a shape to look at, not a figure to read off. */
function smooth(sorted: readonly number[], fromMs: number, toMs: number, width: number): (readonly [number, number])[] {
	const every = Math.max(1, Math.floor(sorted.length / 400));
	const sample = sorted.filter((_, i) => i % every === 0);
	return Array.from({ length: BINS + 1 }, (_, i) => {
		const at = fromMs + ((toMs - fromMs) * i) / BINS;
		const sum = sample.reduce((total, each) => total + Math.exp(-(((each - at) / (2 * width)) ** 2) / 2), 0);
		return [at, sum / sample.length] as const;
	});
}
