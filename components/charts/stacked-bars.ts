import type { MarkFill } from "#components/ui/meter.tsx";

export type BarSeries = { id: string; label: string; fill: MarkFill };
/** A value to draw, and its formatted text. */
export type BarValue = { seriesId: string; value: number; text: string };
export type Bar = {
	id: string;
	/** Start of the readout, such as "Wed 18 Nov" or "Today so far". */
	label: string;
	/** Tick label; most bars have none. */
	tick?: string;
	/** Actual values; absent for future days. */
	posted: readonly BarValue[];
	/** Forecast values; absent for past days. Today has both. */
	forecast: readonly BarValue[];
	/** Elapsed fraction of the day: 1 for the past, 0 for the future. */
	done: number;
	/** Forecast range of the bar's total, as number and text. */
	range?: { low: number; high: number; text: string } | null;
	/** An unfinished day without a forecast; series labels do not point to its short stack. */
	partial?: boolean;
};

/** Totals of the period before, one per bar; null where it has none. */
export type PreviousBars = { label: string; values: readonly ({ value: number; text: string } | null)[] };

export type BarsInput = {
	series: readonly BarSeries[];
	bars: readonly Bar[];
	axis: "usd" | "count" | "kg";
	/** Drawn as a line over the bars. */
	previous?: PreviousBars | null;
};

/** The chart without some of its series. Forecast ranges cover all series, so they disappear with the first hidden one. */
export function hideSeries(input: BarsInput, hidden: readonly string[]): BarsInput {
	const series = input.series.filter(({ id }) => !hidden.includes(id));
	if (series.length === input.series.length) return input;
	return { ...input, series, bars: input.bars.map((bar) => ({ ...bar, range: null })) };
}

const amountOf = (values: readonly BarValue[], seriesId: string) => values.find((v) => v.seriesId === seriesId)?.value ?? 0;

/** A bar as Recharts takes it: its sums, the value of each series, and its elapsed share. */
export interface BarRow {
	index: number;
	bar: Bar;
	/** Sums of the values above and below zero. */
	up: number;
	down: number;
	values: Record<string, number>;
	/** The actual part of each value. */
	posted: Record<string, number>;
	/** Middle of the forecast range, and the distances to its ends. */
	range?: { middle: number; error: [low: number, high: number] };
	/** Total of the period before. */
	previous: number | null;
}

export function barRows({ series, bars, previous }: BarsInput): BarRow[] {
	return bars.map((bar, index) => {
		const posted = Object.fromEntries(series.map(({ id }) => [id, amountOf(bar.posted, id)]));
		const values = Object.fromEntries(series.map(({ id }) => [id, amountOf(bar.posted, id) + amountOf(bar.forecast, id)]));
		const sum = (of: (value: number) => boolean): number =>
			Object.values(values)
				.filter(of)
				.reduce((a, b) => a + b, 0);
		const [up, down] = [sum((value) => value > 0), sum((value) => value < 0)];
		const middle = up + down;
		const range = bar.range && { middle, error: [middle - bar.range.low, bar.range.high - middle] as [number, number] };
		return { index, bar, up, down, values, posted, previous: previous?.values[index]?.value ?? null, ...(range ? { range } : {}) };
	});
}

/** Width of a tick's character, and the least space between two ticks, in pixels. */
const [CHARACTER, SPACE] = [6, 6];

/** Bars with room for their tick on an axis of this width. The current day's goes first. */
export function spacedTicks(bars: readonly Bar[], width: number): number[] {
	const band = width / Math.max(1, bars.length);
	const isCurrent = ({ done }: Bar): boolean => done > 0 && done < 1;
	const kept: { index: number; from: number; to: number }[] = [];
	const ticks = bars.flatMap((bar, index) => {
		const half = ((bar.tick?.length ?? 0) * CHARACTER + SPACE) / 2;
		return bar.tick ? [{ bar, index, from: (index + 0.5) * band - half, to: (index + 0.5) * band + half }] : [];
	});
	for (const tick of [...ticks.filter(({ bar }) => isCurrent(bar)), ...ticks.filter(({ bar }) => !isCurrent(bar))])
		if (kept.every((other) => tick.to <= other.from || tick.from >= other.to)) kept.push(tick);
	return kept.map(({ index }) => index).sort((a, b) => a - b);
}

/** Names of the series at the right edge, next to their place in the last complete bar. */
export function barEndLabels({ series, bars }: BarsInput): { id: string; text: string; value: number }[] {
	const middles = new Map<string, number>();
	for (const bar of bars) {
		const base = { up: 0, down: 0 };
		for (const { id } of series) {
			const value = amountOf(bar.posted, id) + amountOf(bar.forecast, id);
			if (value === 0) continue;
			const side = value > 0 ? "up" : "down";
			if (!bar.partial || !middles.has(id)) middles.set(id, base[side] + value / 2);
			base[side] += value;
		}
	}
	return series.flatMap(({ id, label }) => (middles.has(id) ? [{ id, text: label, value: middles.get(id) ?? 0 }] : []));
}

/** Readout of a bar: actual values, or the forecast if there are none. */
export function readBar(
	input: BarsInput,
	index: number,
): { label: string; estimate: boolean; values: { series: BarSeries; text: string }[]; previous: string | null } | null {
	const bar = input.bars[index];
	if (!bar) return null;
	const estimate = bar.posted.length === 0 && bar.forecast.length > 0;
	const values = estimate ? bar.forecast : bar.posted;
	const rows = input.series.flatMap((series) => {
		const hit = values.find((v) => v.seriesId === series.id);
		return hit ? [{ series, text: hit.text }] : [];
	});
	const previous = input.previous?.values[index]?.text ?? null;
	return { label: estimate ? `${bar.label}, forecast` : bar.label, estimate, values: rows, previous };
}

/** Table text for missing data, which is not zero. */
const UNKNOWN = "unknown";

export interface BarsRow {
	id: string;
	label: string;
	/** One per series, in order. */
	cells: string[];
	/** Forecast range of the bar; "" for actual values. */
	range: string;
	/** Total of the period before; "" without one. */
	previous: string;
}

/** The chart as a table: actual and forecast values in separate rows. */
export function tabulateBars({ series, bars, previous }: BarsInput): BarsRow[] {
	return bars.flatMap((bar, index): BarsRow[] => {
		const cells = (values: readonly BarValue[]) => series.map((s) => values.find((v) => v.seriesId === s.id)?.text ?? UNKNOWN);
		const known = { id: bar.id, label: bar.label, cells: cells(bar.posted), range: "", previous: previous?.values[index]?.text ?? "" };
		if (bar.forecast.length === 0) return [known];
		const toCome = { id: `${bar.id}-f`, cells: cells(bar.forecast), range: bar.range?.text ?? "", previous: "" };
		if (bar.posted.length === 0) return [{ ...toCome, label: `${bar.label}, forecast`, previous: known.previous }];
		return [known, { ...toCome, label: `${bar.label}: remaining, forecast` }];
	});
}
