import type { MarkFill } from "#components/ui/meter.tsx";
import { linear, niceTicks, niceTicksBetween, type Scale, spreadLabels } from "./scale.ts";

export type BarSeries = { id: string; label: string; fill: MarkFill };
/** A value to draw and the same, formatted, to read. */
export type BarValue = { seriesId: string; value: number; text: string };
export type Bar = {
	id: string;
	/** "Wed 18 Nov", "Today so far": what the readout begins with. */
	label: string;
	/** Under the axis; most bars have none. */
	tick?: string;
	/** Known. A day that has not begun has none. */
	posted: readonly BarValue[];
	/** Still to come. A day that is over has none; today has both. */
	forecast: readonly BarValue[];
	/** 0 to 1: the part of the day that is over. 1 for the past, 0 for the future. */
	done: number;
	/** The forecast's likely range of the bar's whole height, to draw and to read. */
	range?: { low: number; high: number; text: string } | null;
	/** A day that is not over and has no forecast: the names at the right are not led to its short stack. */
	partial?: boolean;
};

export type BarsInput = { series: readonly BarSeries[]; bars: readonly Bar[]; axis: "usd" | "count" | "kg" };

type Rect = { id: string; seriesId: string; x: number; y: number; width: number; height: number; forecast: boolean };
export type BarsPicture = {
	margin: { left: number; right: number; top: number; bottom: number };
	rects: Rect[];
	whiskers: { id: string; x: number; y1: number; y2: number }[];
	yTicks: { y: number; value: number; labelled: boolean }[];
	xTicks: { id: string; x: number; text: string; current: boolean }[];
	/** Where the known ends: a line within today's bar. Null when all is known, or nothing. */
	nowX: number | null;
	endLabels: { id: string; text: string; y: number; anchorY: number }[];
	/** Where 0 is, and the lower end of the picture: what is below zero, such as a credit, hangs between them. */
	baseY: number;
	floorY: number;
	band: number;
	left: number;
	y: Scale;
};

const NARROW = 560;

const amountOf = (values: readonly BarValue[], seriesId: string) => values.find((v) => v.seriesId === seriesId)?.value ?? 0;

/** Lower end of everything that is drawn: 0, but for days on which more was given back than spent of something. */
function lowest(bars: readonly Bar[]): number {
	return Math.min(0, ...bars.map((bar) => [...bar.posted, ...bar.forecast].reduce((sum, v) => sum + Math.min(0, v.value), 0)));
}

/** Upper end of everything that is drawn. */
function highest(bars: readonly Bar[]): number {
	return Math.max(
		0,
		...bars.map((bar) =>
			Math.max(
				[...bar.posted, ...bar.forecast].reduce((sum, v) => sum + Math.max(0, v.value), 0),
				bar.range?.high ?? 0,
			),
		),
	);
}

export function prepareBars(input: BarsInput, box: { width: number; height: number }): BarsPicture {
	const narrow = box.width < NARROW;
	const margin = { left: 50, right: narrow ? 12 : 100, top: 12, bottom: 26 };
	const [low, high] = [lowest(input.bars), highest(input.bars)];
	const ticks = low < 0 ? niceTicksBetween(low, high, 6) : niceTicks(high, 6, input.axis === "count");
	const floorY = box.height - margin.bottom;
	const y = linear(ticks[0] ?? 0, ticks.at(-1) ?? 1, floorY, margin.top);
	const band = (box.width - margin.left - margin.right) / Math.max(1, input.bars.length);
	const width = Math.max(1, Math.min(band * 0.74, 46));
	const rects: Rect[] = [];
	const mids = new Map<string, number>();
	const whiskers: BarsPicture["whiskers"] = [];
	let nowX: number | null = null;
	input.bars.forEach((bar, i) => {
		const x = margin.left + i * band + (band - width) / 2;
		const own = new Map<string, number>();
		stackBar(bar, x, width, input.series, y, rects, own);
		for (const [id, mid] of own) if (!bar.partial || !mids.has(id)) mids.set(id, mid);
		if (bar.range) whiskers.push({ id: bar.id, x: x + width / 2, y1: y(bar.range.low), y2: y(bar.range.high) });
		if (bar.done > 0 && bar.done < 1) nowX = x + width * bar.done;
	});
	return {
		margin,
		rects,
		whiskers,
		yTicks: ticks.map((value, i) => ({ y: y(value), value, labelled: ticks.length <= 5 || (i - ticks.indexOf(0)) % 2 === 0 })),
		xTicks: thinTicks(input.bars, band).map(({ bar, i }) => ({
			id: bar.id,
			x: margin.left + (i + 0.5) * band,
			text: bar.tick ?? "",
			current: bar.done > 0 && bar.done < 1,
		})),
		nowX,
		endLabels: narrow ? [] : labelsOf(input, mids, margin.top, floorY),
		baseY: y(0),
		floorY,
		band,
		left: margin.left,
		y,
	};
}

/**
 * Known at the left with its full colour, still to come at the right and pale; both on the same stack. What is below zero hangs
 * from the axis on a stack of its own.
 */
function stackBar(bar: Bar, x: number, width: number, series: readonly BarSeries[], y: Scale, rects: Rect[], mids: Map<string, number>) {
	for (const side of [Math.max, Math.min]) {
		let base = 0;
		for (const { id } of series) {
			const posted = side(0, amountOf(bar.posted, id));
			const forecast = side(0, amountOf(bar.forecast, id));
			const end = base + posted + forecast;
			if (end === base) continue;
			const rect = { seriesId: id, y: y(Math.max(base, end)), height: Math.max(0.5, Math.abs(y(base) - y(end)) - 0.6) };
			const split = posted !== 0 && forecast !== 0 ? bar.done : posted !== 0 ? 1 : 0;
			if (split > 0) rects.push({ ...rect, id: `${bar.id}-${id}`, x, width: width * split, forecast: false });
			if (split < 1) rects.push({ ...rect, id: `${bar.id}-${id}-f`, x: x + width * split, width: width * (1 - split), forecast: true });
			mids.set(id, y((base + end) / 2));
			base = end;
		}
	}
}

function labelsOf(input: BarsInput, mids: Map<string, number>, top: number, bottom: number): BarsPicture["endLabels"] {
	const shown = input.series.filter((s) => mids.has(s.id));
	const anchors = shown.map((s) => mids.get(s.id) ?? 0);
	const ys = spreadLabels(anchors, 15, top, bottom);
	return shown.map((s, i) => ({ id: s.id, text: s.label, y: ys[i] ?? 0, anchorY: anchors[i] ?? 0 }));
}

/** The ticks that have room beside each other. Today's always stays. */
function thinTicks(bars: readonly Bar[], band: number): { bar: Bar; i: number }[] {
	const wanted = bars.map((bar, i) => ({ bar, i })).filter(({ bar }) => bar.tick);
	const todayAt = wanted.find(({ bar }) => bar.done > 0 && bar.done < 1)?.i;
	let free = Number.NEGATIVE_INFINITY;
	return wanted.filter(({ bar, i }) => {
		const half = ((bar.tick ?? "").length * 6) / 2 + 4;
		const center = (i + 0.5) * band;
		if (todayAt !== undefined && i !== todayAt && Math.abs(center - (todayAt + 0.5) * band) < half + 20) return false;
		if (center - half < free) return false;
		free = center + half;
		return true;
	});
}

/** What the readout says of a bar: what is known, or what is forecast when nothing is. */
export function readBar(
	input: BarsInput,
	index: number,
): { label: string; estimate: boolean; values: { series: BarSeries; text: string }[] } | null {
	const bar = input.bars[index];
	if (!bar) return null;
	const estimate = bar.posted.length === 0 && bar.forecast.length > 0;
	const values = estimate ? bar.forecast : bar.posted;
	const rows = input.series.flatMap((series) => {
		const hit = values.find((v) => v.seriesId === series.id);
		return hit ? [{ series, text: hit.text }] : [];
	});
	return { label: estimate ? `${bar.label}, forecast` : bar.label, estimate, values: rows };
}

/** What stands in the table where nothing is known: not that nothing was. */
const UNKNOWN = "not known";

export interface BarsRow {
	id: string;
	label: string;
	/** One for each series, in their order. */
	cells: string[];
	/** The likely range of the whole bar; "" of what is known. */
	range: string;
}

/** The chart as a table: what is known, then what is still to come of it, each in a row of its own. */
export function tabulateBars({ series, bars }: BarsInput): BarsRow[] {
	return bars.flatMap((bar): BarsRow[] => {
		const cells = (values: readonly BarValue[]) => series.map((s) => values.find((v) => v.seriesId === s.id)?.text ?? UNKNOWN);
		const known = { id: bar.id, label: bar.label, cells: cells(bar.posted), range: "" };
		if (bar.forecast.length === 0) return [known];
		const toCome = { id: `${bar.id}-f`, cells: cells(bar.forecast), range: bar.range?.text ?? "" };
		if (bar.posted.length === 0) return [{ ...toCome, label: `${bar.label}, forecast` }];
		return [known, { ...toCome, label: `${bar.label}: the rest, forecast` }];
	});
}
