import { formatClock, formatDay } from "#components/time/format-time.ts";
import type { MarkFill } from "#components/ui/meter.tsx";
import { linear, type Scale, spreadLabels, type TimeTick, timeTicks } from "./scale.ts";
import {
	changeTimes,
	knownRuns,
	type SlopePoint,
	type StepPoint,
	slopeArea,
	slopeAt,
	slopeLine,
	stepArea,
	stepAt,
	stepLine,
} from "./step-series.ts";

/** GPUs of one place through time: measured steps, then (maybe) its forecast. */
export type DemandSeries = { id: string; label: string; fill: MarkFill; points: readonly StepPoint[]; forecast?: readonly SlopePoint[] };
export type DemandForecast = { atMs: number; low: number; middle: number; high: number };
export type DemandEvent = { atMs: number; text: string };

export type DemandInput = {
	fromMs: number;
	nowMs: number;
	toMs: number;
	/** GPUs that are owned: the line at which the axis starts again. */
	ownedGpus: number;
	owned: DemandSeries;
	cloud: readonly DemandSeries[];
	/** GPUs that jobs in the queue ask for. */
	waiting: readonly StepPoint[];
	/** All that is wanted, running and waiting. */
	demandForecast?: readonly DemandForecast[];
	events?: readonly DemandEvent[];
};

export type DemandBox = { width: number; height: number };
export type DemandLayer = { id: string; d: string; fill: MarkFill | "waiting"; forecast: boolean };
export type DemandPicture = {
	margin: { left: number; right: number; top: number; bottom: number };
	layers: DemandLayer[];
	/** White lines that part the stacked clouds. */
	seams: string[];
	wantedLine: string;
	forecastBand: string;
	forecastLine: string;
	capacityY: number;
	baseY: number;
	nowX: number;
	xTicks: (TimeTick & { x: number })[];
	yTicks: { y: number; label: string; capacity: boolean }[];
	/** Where the owned area is broad and high enough to carry its own name; null when it is nowhere. */
	ownedLabelX: number | null;
	endLabels: { id: string; y: number; text: string; figure: string }[];
	events: { x: number; y: number; text: string; lengthened: boolean }[];
	timeOfX: (x: number) => number;
	xOfTime: Scale;
};

export type DemandReading = {
	atMs: number;
	when: string;
	estimate: boolean;
	/** null: not measured then. */
	wanted: number | null;
	rows: { id: string; label: string; fill: MarkFill | "waiting"; value: number; of?: number }[];
};

const PHONE_WIDTH = 620;

/** Values of all layers at a measured time; null in a gap. */
function measuredAt(input: DemandInput, atMs: number) {
	const owned = stepAt(input.owned.points, atMs);
	if (owned === null) return null;
	const cloud = input.cloud.map((series) => stepAt(series.points, atMs) ?? 0);
	const waiting = stepAt(input.waiting, atMs) ?? 0;
	return { owned: Math.min(owned, input.ownedGpus), cloud, waiting, wanted: owned + cloud.reduce((a, b) => a + b, 0) + waiting };
}

function forecastAt(input: DemandInput, atMs: number) {
	const now = measuredAt(input, input.nowMs);
	const owned = slopeAt(input.owned.forecast ?? [], atMs) ?? now?.owned ?? 0;
	const cloud = input.cloud.map((series, i) => slopeAt(series.forecast ?? [], atMs) ?? now?.cloud[i] ?? 0);
	const demand = input.demandForecast ?? [];
	const pick = (key: "low" | "middle" | "high") =>
		slopeAt(
			demand.map((d) => [d.atMs, d[key]] as const),
			atMs,
		);
	return { owned: Math.min(owned, input.ownedGpus), cloud, low: pick("low"), middle: pick("middle"), high: pick("high") };
}

/** Closer to now than one can point. */
const isNowOf = (input: DemandInput, atMs: number): boolean => Math.abs(atMs - input.nowMs) < (input.toMs - input.fromMs) / 400;

/** What the legend says for a time: it is the readout. */
export function readDemand(input: DemandInput, atMs: number): DemandReading {
	const isNow = isNowOf(input, atMs);
	const future = atMs > input.nowMs && !isNow;
	const measured = future ? null : measuredAt(input, Math.min(atMs, input.nowMs));
	const guess = future ? forecastAt(input, atMs) : null;
	const day = Math.floor(atMs / 86_400_000) === Math.floor(input.nowMs / 86_400_000) ? "" : `${formatDay(atMs)}, `;
	const when = isNow ? `Now, ${formatClock(input.nowMs)}` : `${day}${formatClock(atMs)}${future ? ", forecast" : ""}`;
	const values = measured ?? guess;
	if (!values) return { atMs, when, estimate: future, wanted: null, rows: [] };
	const running = values.owned + values.cloud.reduce((a, b) => a + b, 0);
	const wanted = measured ? measured.wanted : Math.max(running, guess?.middle ?? running);
	const rows: DemandReading["rows"] = [
		{ id: input.owned.id, label: input.owned.label, fill: input.owned.fill, value: values.owned, of: input.ownedGpus },
	];
	input.cloud.forEach((series, i) => {
		const everUsed = series.points.some(([, value]) => (value ?? 0) > 0) || (series.forecast ?? []).some(([, value]) => value > 0);
		if (everUsed) rows.push({ id: series.id, label: series.label, fill: series.fill, value: values.cloud[i] ?? 0 });
	});
	rows.push({ id: "waiting", label: "Waiting", fill: "waiting", value: Math.max(0, wanted - running) });
	rows.push({ id: "idle", label: "Owned but idle", fill: "idle", value: Math.max(0, input.ownedGpus - values.owned) });
	return { atMs, when, estimate: future, wanted, rows };
}

/** The whole table, for readers who do not see the picture: one row a tick. */
export function tabulateDemand(input: DemandInput, most = 30): DemandReading[] {
	const ticks = timeTicks(input.fromMs, input.toMs, most).map((tick) => tick.atMs);
	const times = [...ticks.filter((at) => !isNowOf(input, at)), input.nowMs].sort((a, b) => a - b);
	return times.map((atMs) => readDemand(input, atMs));
}

function highest(input: DemandInput, times: readonly number[]): number {
	const cap = input.ownedGpus;
	const measured = times.map((at) => {
		const m = measuredAt(input, at);
		return m ? cap + m.cloud.reduce((a, b) => a + b, 0) + m.waiting : cap;
	});
	return Math.max(cap, ...measured, ...(input.demandForecast ?? []).map((d) => d.high));
}

function yAxis(cap: number, max: number, y: Scale) {
	const above = Math.max(0, max - cap);
	// Machines come with 1, 2, 4 or 8 GPUs: powers of two read more naturally than tens.
	const step = 2 ** Math.max(0, Math.ceil(Math.log2(above / 4 || 1)));
	const ticks = [{ y: y(0), label: "0", capacity: false }];
	if (cap > 0 && y(0) - y(cap) > 56 && cap % 2 === 0) ticks.push({ y: y(cap / 2), label: String(cap / 2), capacity: false });
	if (cap > 0) ticks.push({ y: y(cap), label: String(cap), capacity: true });
	for (let v = step; v <= above + 1e-9; v += step) ticks.push({ y: y(cap + v), label: `+${v}`, capacity: false });
	return ticks;
}

export function prepareDemand(input: DemandInput, box: DemandBox): DemandPicture {
	const phone = box.width < PHONE_WIDTH;
	const margin = { left: 46, right: phone ? 14 : 116, top: 30, bottom: 30 };
	const cap = input.ownedGpus;
	const past = changeTimes([input.owned.points, input.waiting, ...input.cloud.map((c) => c.points)], input.fromMs, input.nowMs);
	const max = highest(input, past);
	const x = linear(input.fromMs, input.toMs, margin.left, box.width - margin.right);
	const y = linear(0, max * 1.06 || 1, box.height - margin.bottom, margin.top);
	const at = new Map(past.map((t) => [t, measuredAt(input, t)]));
	const runs = knownRuns(past, (t) => (at.get(t) ?? null) !== null);
	const owned = (t: number) => at.get(t)?.owned ?? 0;
	const stacked = (t: number, upTo: number) => cap + (at.get(t)?.cloud ?? []).slice(0, upTo).reduce((a, b) => a + b, 0);
	const all = input.cloud.length;
	const wanted = (t: number) => stacked(t, all) + (at.get(t)?.waiting ?? 0);
	const area = (low: (t: number) => number, high: (t: number) => number) => runs.map((run) => stepArea(run, low, high, x, y)).join("");

	const layers: DemandLayer[] = [
		{ id: "idle", d: area(owned, () => cap), fill: "idle", forecast: false },
		{ id: input.owned.id, d: area(() => 0, owned), fill: input.owned.fill, forecast: false },
		{ id: "waiting", d: area((t) => stacked(t, all), wanted), fill: "waiting", forecast: false },
		...input.cloud.map(
			(series, i): DemandLayer => ({
				id: series.id,
				d: area(
					(t) => stacked(t, i),
					(t) => stacked(t, i + 1),
				),
				fill: series.fill,
				forecast: false,
			}),
		),
	];
	const future = prepareForecast(input, x, y);
	const seams = input.cloud.slice(0, -1).map((_, i) => runs.map((run) => stepLine(run, (t) => stacked(t, i + 1), x, y)).join(""));
	return {
		margin,
		layers: [...layers, ...future.layers],
		seams,
		wantedLine: runs.map((run) => stepLine(run, wanted, x, y)).join(""),
		forecastBand: future.band,
		forecastLine: future.line,
		capacityY: y(cap),
		baseY: y(0),
		nowX: x(input.nowMs),
		ownedLabelX: roomForLabel(runs, (t) => owned(t) >= cap * 0.7, x, 40 + input.owned.label.length * 7 + 70),
		xTicks: timeTicks(input.fromMs, input.toMs, phone ? 5 : 11).map((tick) => ({ ...tick, x: x(tick.atMs) })),
		yTicks: yAxis(cap, max, y),
		endLabels: phone ? [] : endLabels(input, y, margin.top, box.height - margin.bottom),
		events: phone ? [] : placeEvents(input, x, (t) => y(wantedAtOr(input, t, cap))),
		timeOfX: (px) =>
			Math.min(
				input.toMs,
				Math.max(
					input.fromMs,
					input.fromMs + ((px - margin.left) / (box.width - margin.right - margin.left)) * (input.toMs - input.fromMs),
				),
			),
		xOfTime: x,
	};
}

/** The beginning of the first stretch, `width` pixels wide at least, in which `high` holds. */
function roomForLabel(runs: readonly number[][], high: (atMs: number) => boolean, x: Scale, width: number): number | null {
	for (const run of runs) {
		let from: number | null = null;
		for (const [i, at] of run.entries()) {
			const holds = i < run.length - 1 && high(at);
			if (holds) from ??= x(at);
			else {
				if (from !== null && x(at) - from >= width) return from;
				from = null;
			}
		}
	}
	return null;
}

function wantedAtOr(input: DemandInput, atMs: number, fallback: number): number {
	const m = measuredAt(input, atMs);
	return m ? input.ownedGpus + m.cloud.reduce((a, b) => a + b, 0) + m.waiting : fallback;
}

function prepareForecast(input: DemandInput, x: Scale, y: Scale) {
	const hasPlaces = (input.owned.forecast?.length ?? 0) > 0 || input.cloud.some((c) => (c.forecast?.length ?? 0) > 0);
	const demand = input.demandForecast ?? [];
	if (input.toMs <= input.nowMs || (!hasPlaces && demand.length === 0)) return { layers: [], band: "", line: "" };
	const cap = input.ownedGpus;
	const points = [input.owned.forecast ?? [], ...input.cloud.map((c) => c.forecast ?? []), demand.map((d) => [d.atMs, d.middle] as const)];
	const times = changeTimes(points, input.nowMs, input.toMs);
	const at = new Map(times.map((t) => [t, forecastAt(input, t)]));
	const stacked = (t: number, upTo: number) => cap + (at.get(t)?.cloud ?? []).slice(0, upTo).reduce((a, b) => a + b, 0);
	const layers: DemandLayer[] = [];
	if (hasPlaces) {
		layers.push({
			id: `${input.owned.id}-forecast`,
			d: slopeArea(
				times,
				() => 0,
				(t) => at.get(t)?.owned ?? 0,
				x,
				y,
			),
			fill: input.owned.fill,
			forecast: true,
		});
		input.cloud.forEach((series, i) => {
			layers.push({
				id: `${series.id}-forecast`,
				d: slopeArea(
					times,
					(t) => stacked(t, i),
					(t) => stacked(t, i + 1),
					x,
					y,
				),
				fill: series.fill,
				forecast: true,
			});
		});
	}
	const first = demand[0];
	const last = demand.at(-1);
	if (!first || !last) return { layers, band: "", line: "" };
	// What is wanted is drawn over the owned line as well: demand below it has its place in the owned area.
	const seen = times.filter((t) => t >= first.atMs && t <= last.atMs);
	const level = (t: number, key: "low" | "middle" | "high") => at.get(t)?.[key] ?? 0;
	return {
		layers,
		band: slopeArea(
			seen,
			(t) => level(t, "low"),
			(t) => level(t, "high"),
			x,
			y,
		),
		line: slopeLine(seen, (t) => level(t, "middle"), x, y),
	};
}

function endLabels(input: DemandInput, y: Scale, top: number, bottom: number): DemandPicture["endLabels"] {
	const end = input.toMs > input.nowMs ? forecastAt(input, input.toMs) : null;
	const now = measuredAt(input, input.nowMs);
	const owned = end?.owned ?? now?.owned ?? 0;
	const cloud = end?.cloud ?? now?.cloud ?? [];
	const labels: { id: string; y: number; text: string; figure: string }[] = [
		{ id: input.owned.id, y: y(owned / 2), text: input.owned.label, figure: "" },
	];
	let base = input.ownedGpus;
	input.cloud.forEach((series, i) => {
		const value = cloud[i] ?? 0;
		if (value > 0) labels.push({ id: series.id, y: y(base + value / 2), text: series.label, figure: "" });
		base += value;
	});
	if (end?.middle !== null && end?.middle !== undefined)
		labels.push({ id: "wanted", y: y(end.middle), text: "Wanted", figure: String(Math.round(end.middle)) });
	if (end?.high !== null && end?.high !== undefined)
		labels.push({ id: "high", y: y(end.high), text: "", figure: `up to ${Math.round(end.high)}` });
	const ys = spreadLabels(
		labels.map((l) => l.y),
		15,
		top,
		bottom - 4,
	);
	return labels.map((label, i) => ({ ...label, y: ys[i] ?? label.y }));
}

/** The newest events keep their words; an older one whose words would run into them keeps its tick alone. */
function placeEvents(input: DemandInput, x: Scale, yOf: (atMs: number) => number): DemandPicture["events"] {
	const CHAR = 5.6;
	let free = Number.POSITIVE_INFINITY;
	return [...(input.events ?? [])]
		.filter((event) => event.atMs >= input.fromMs && event.atMs <= input.nowMs)
		.sort((a, b) => b.atMs - a.atMs)
		.map((event) => {
			const at = x(event.atMs);
			const start = at - 8 - event.text.length * CHAR;
			const fits = at <= free && start > x(input.fromMs);
			if (fits) free = start - 10;
			return { x: at, y: yOf(event.atMs), text: event.text, lengthened: fits };
		});
}
