import { formatClock, formatDay } from "#components/time/format-time.ts";
import type { MarkFill } from "#components/ui/meter.tsx";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { timeTicks } from "./scale.ts";
import { changeTimes, type SlopePoint, type StepPoint, slopeAt, stepAt } from "./step-series.ts";

/** GPU use of one location over time: measured steps, then an optional forecast. */
export type DemandSeries = { id: string; label: string; fill: MarkFill; points: readonly StepPoint[]; forecast?: readonly SlopePoint[] };
export type DemandForecast = { atMs: number; low: number; middle: number; high: number };

export type DemandInput = {
	fromMs: number;
	nowMs: number;
	toMs: number;
	/** Owned GPUs: the line where the axis restarts. */
	ownedGpus: number;
	owned: DemandSeries;
	cloud: readonly DemandSeries[];
	/** GPUs requested by queued jobs. */
	waiting: readonly StepPoint[];
	/** Total demand, running and queued. */
	demandForecast?: readonly DemandForecast[];
};

export type DemandReading = {
	atMs: number;
	when: string;
	estimate: boolean;
	/** null: no data. */
	wanted: number | null;
	rows: { id: string; label: string; fill: MarkFill | "waiting"; value: number; of?: number }[];
};

/** Values of all layers at a time; null in a gap. */
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

/** The chart of a part of its range; all of it if the part is outside or too short to read. */
export function zoomDemand(input: DemandInput, zoom: { fromMs: number; toMs: number } | null): DemandInput {
	if (!zoom) return input;
	const [fromMs, toMs] = [Math.max(input.fromMs, zoom.fromMs), Math.min(input.toMs, zoom.toMs)];
	return toMs - fromMs < MINUTE_MS ? input : { ...input, fromMs, toMs };
}

/** End of the measured part. */
const measuredToMs = ({ nowMs, toMs }: DemandInput): number => Math.min(nowMs, toMs);

/** Whether a cloud has a value anywhere in the range. */
export const isUsed = ({ points, forecast = [] }: DemandSeries): boolean =>
	points.some(([, value]) => (value ?? 0) > 0) || forecast.some(([, value]) => value > 0);

/** Smaller than a pointer can resolve. */
const isNowOf = (input: DemandInput, atMs: number): boolean => Math.abs(atMs - input.nowMs) < (input.toMs - input.fromMs) / 400;

/** Legend values at a time; the legend is the readout. */
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
		if (isUsed(series)) rows.push({ id: series.id, label: series.label, fill: series.fill, value: values.cloud[i] ?? 0 });
	});
	rows.push({ id: "waiting", label: "Queued", fill: "waiting", value: Math.max(0, wanted - running) });
	rows.push({ id: "idle", label: "Owned, idle", fill: "idle", value: Math.max(0, input.ownedGpus - values.owned) });
	return { atMs, when, estimate: future, wanted, rows };
}

/** Chart as a table for screen readers, one row per tick. */
export function tabulateDemand(input: DemandInput, most = 30): DemandReading[] {
	const ticks = timeTicks(input.fromMs, input.toMs, most).map((tick) => tick.atMs);
	const times = [...ticks.filter((at) => !isNowOf(input, at)), measuredToMs(input)].sort((a, b) => a - b);
	return times.map((atMs) => readDemand(input, atMs));
}

/** Chart values at a time. Stacked from 0: owned and idle up to the capacity, then clouds and queued jobs above it. */
export interface DemandRow {
	atMs: number;
	/** Values by series ID, `idle` and `waiting`; absent where nothing was measured. */
	measured?: Record<string, number>;
	/** Top of the stack. */
	wanted?: number;
	/** Forecast values by series ID, and `pad` up to the capacity. */
	forecast?: Record<string, number>;
	band?: [low: number, high: number];
	middle?: number;
}

/** One row per change. A gap starts with a row that repeats the last values, so that their step reaches it. */
export function demandRows(input: DemandInput): DemandRow[] {
	const past = changeTimes([input.owned.points, input.waiting, ...input.cloud.map((c) => c.points)], input.fromMs, measuredToMs(input));
	const rows: DemandRow[] = [];
	for (const atMs of past) {
		const row = measuredRow(input, atMs);
		const before = rows.at(-1);
		if (!row.measured && before?.measured) rows.push({ ...before, atMs });
		rows.push(row);
	}
	const ahead = forecastRows(input);
	const last = rows.at(-1);
	if (last && ahead[0]?.atMs === last.atMs) return [...rows.slice(0, -1), { ...ahead[0], ...last }, ...ahead.slice(1)];
	return [...rows, ...ahead];
}

function measuredRow(input: DemandInput, atMs: number): DemandRow {
	const m = measuredAt(input, atMs);
	if (!m) return { atMs };
	const cloud = Object.fromEntries(input.cloud.map((series, i) => [series.id, m.cloud[i] ?? 0]));
	const measured = { [input.owned.id]: m.owned, idle: input.ownedGpus - m.owned, ...cloud, waiting: m.waiting };
	return { atMs, measured, wanted: input.ownedGpus + m.cloud.reduce((a, b) => a + b, 0) + m.waiting };
}

function forecastRows(input: DemandInput): DemandRow[] {
	const demand = input.demandForecast ?? [];
	const places = [input.owned.forecast ?? [], ...input.cloud.map((c) => c.forecast ?? [])];
	const hasPlaces = places.some((points) => points.length > 0);
	if (input.toMs <= input.nowMs || (!hasPlaces && demand.length === 0)) return [];
	const times = changeTimes([...places, demand.map((d) => [d.atMs, d.middle] as const)], input.nowMs, input.toMs);
	return times.map((atMs): DemandRow => {
		const f = forecastAt(input, atMs);
		const cloud = Object.fromEntries(input.cloud.map((series, i) => [series.id, f.cloud[i] ?? 0]));
		return {
			atMs,
			...(hasPlaces && { forecast: { [input.owned.id]: f.owned, pad: input.ownedGpus - f.owned, ...cloud } }),
			...(f.low !== null && f.high !== null && { band: [f.low, f.high] as [number, number] }),
			...(f.middle !== null && { middle: f.middle }),
		};
	});
}

/** Tick values. Above the capacity the axis restarts at +0, in powers of two because machines have 1, 2, 4 or 8 GPUs. */
export function demandTicks(input: DemandInput, rows: readonly DemandRow[]): { ticks: number[]; top: number } {
	const cap = input.ownedGpus;
	const top = Math.max(cap, ...rows.map((row) => Math.max(row.wanted ?? 0, row.band?.[1] ?? 0)));
	const step = 2 ** Math.max(0, Math.ceil(Math.log2((top - cap) / 4 || 1)));
	const ticks = cap > 0 ? [0, ...(cap % 2 === 0 ? [cap / 2] : []), cap] : [0];
	for (let value = cap + step; value <= top + 1e-9; value += step) ticks.push(value);
	return { ticks, top: top * 1.06 || 1 };
}

/** The first stretch of at least a quarter of the range in which the owned area is high enough for its label. */
export function ownedLabelSpan(input: DemandInput, rows: readonly DemandRow[]): { fromMs: number; toMs: number } | null {
	const enough = (input.toMs - input.fromMs) / 4;
	let fromMs: number | null = null;
	for (const row of rows) {
		const high = (row.measured?.[input.owned.id] ?? -1) >= Math.max(1, input.ownedGpus * 0.7);
		if (fromMs !== null && (!high || row.atMs >= measuredToMs(input)) && row.atMs - fromMs >= enough) return { fromMs, toMs: row.atMs };
		fromMs = high ? (fromMs ?? row.atMs) : null;
	}
	return null;
}

export interface DemandEndLabel {
	id: string;
	/** Position on the value axis. */
	value: number;
	text: string;
	figure: string;
}

/** Series names and forecast figures at the right edge. */
export function demandEndLabels(input: DemandInput): DemandEndLabel[] {
	const end = input.toMs > input.nowMs ? forecastAt(input, input.toMs) : null;
	const now = measuredAt(input, measuredToMs(input));
	const cloud = end?.cloud ?? now?.cloud ?? [];
	const labels: DemandEndLabel[] = [
		{ id: input.owned.id, value: (end?.owned ?? now?.owned ?? 0) / 2, text: input.owned.label, figure: "" },
	];
	let base = input.ownedGpus;
	input.cloud.forEach((series, i) => {
		const value = cloud[i] ?? 0;
		if (value > 0) labels.push({ id: series.id, value: base + value / 2, text: series.label, figure: "" });
		base += value;
	});
	if (end && end.middle !== null) labels.push({ id: "wanted", value: end.middle, text: "Demand", figure: String(Math.round(end.middle)) });
	if (end && end.high !== null) labels.push({ id: "high", value: end.high, text: "", figure: `up to ${Math.round(end.high)}` });
	return labels;
}
