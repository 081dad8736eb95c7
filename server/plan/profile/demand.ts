import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import type { JobColumns } from "../history/columns.ts";
import type { DemandProfile } from "../types.ts";
import { HourSeries, sumOf } from "./hour-series.ts";

const HOURS_PER_WEEK = 168;
const LINE_SHARES = [0.5, 0.8, 0.95, 0.99];
const WORK_SHARES = [0.8, 0.9, 0.95, 0.99];
/** 1970-01-01 was a Thursday: Monday is three days before it. */
const MONDAY_OFFSET_HOURS = 3 * 24;

/** Demand and use by hour. `fromHour` counts hours since 1970, UTC. */
export interface Hours {
	fromHour: number;
	demand: Float64Array;
	/** null: starts are unknown. */
	used: Float64Array | null;
	/** GPUs of waiting jobs; null with `used`. */
	waiting: Float64Array | null;
}

/**
 * @param waitsMs by row; null where starts are unknown. A job without a known start counts as demand only.
 * @param span hours of the whole history; absent: from the first to the last of these jobs
 */
export function hoursOf(
	jobs: JobColumns,
	startMs: number,
	waitsMs: Float64Array | null,
	span: { fromHour: number; hours: number } = spanOf(jobs, startMs),
): Hours {
	const { fromHour, hours } = span;
	const offsetMs = startMs - fromHour * HOUR_MS;
	const [demand, used, waiting] = [new HourSeries(), new HourSeries(), new HourSeries()];
	for (let i = 0; i < jobs.length; i++) {
		const at = jobs.at(jobs.submitMs, i) + offsetMs;
		const [length, gpus] = [jobs.at(jobs.durationMs, i), jobs.at(jobs.gpus, i)];
		demand.add(at, at + length, gpus);
		const wait = waitsMs?.[i] ?? Number.NaN;
		if (Number.isNaN(wait)) continue;
		waiting.add(at, at + wait, gpus);
		used.add(at + wait, at + wait + length, gpus);
	}
	const known = waitsMs !== null;
	return { fromHour, demand: demand.finish(hours), used: known ? used.finish(hours) : null, waiting: known ? waiting.finish(hours) : null };
}

function spanOf(jobs: JobColumns, startMs: number): { fromHour: number; hours: number } {
	const fromHour = firstHourOf(jobs, startMs);
	return { fromHour, hours: lastHourOf(jobs, startMs) - fromHour + 1 };
}

/** Of the first submission: hours since 1970, UTC. */
export function firstHourOf(jobs: JobColumns, startMs: number): number {
	let least = Number.POSITIVE_INFINITY;
	for (let i = 0; i < jobs.length; i++) least = Math.min(least, jobs.at(jobs.submitMs, i));
	return Math.floor((startMs + least) / HOUR_MS);
}

/** Of the last submission. */
export function lastHourOf(jobs: JobColumns, startMs: number): number {
	let most = 0;
	for (let i = 0; i < jobs.length; i++) most = Math.max(most, jobs.at(jobs.submitMs, i));
	return Math.floor((startMs + most) / HOUR_MS);
}

export function demandProfile(hours: Hours, capacityGpus: number): DemandProfile {
	const { demand } = hours;
	const sorted = Float64Array.from(demand).sort();
	const work = sumOf(demand);
	const carried = carriedBy(sorted, capacityGpus);
	return {
		meanGpus: round1(work / demand.length),
		peakGpus: round1(sorted.at(-1) ?? 0),
		lines: LINE_SHARES.map((shareOfHours) => ({ shareOfHours, gpus: round1(quantile(sorted, shareOfHours)) })),
		baseline: WORK_SHARES.map((shareOfWork) => ({ shareOfWork, gpus: gpusFor(sorted, shareOfWork) })),
		carriedShare: work === 0 ? 1 : round4(carried / work),
		overflowGpuHours: Math.round(work - carried),
		loadDuration: Array.from({ length: 101 }, (_, percent) => ({
			percentOfHours: percent,
			gpus: round1(sorted[Math.min(sorted.length - 1, Math.round((1 - percent / 100) * (sorted.length - 1)))] ?? 0),
		})),
		hourOfWeek: weekOf(hours),
		days: daysOf(hours),
		seasonality: seasonalityOf(hours),
	};
}

/** GPU-hours below a line of this many GPUs. */
function carriedBy(sorted: Float64Array, gpus: number): number {
	let sum = 0;
	for (const value of sorted) sum += Math.min(value, gpus);
	return sum;
}

/** The fewest whole GPUs that carry this share of the work: the 80/20 baseline at 0.8. */
export function gpusFor(sorted: Float64Array, share: number): number {
	const target = share * sumOf(sorted);
	let below = 0;
	for (const [i, value] of sorted.entries()) {
		// Every hour from i on has at least `value`.
		const left = sorted.length - i;
		if (below + value * left >= target) return Math.max(0, Math.ceil((target - below) / left - 1e-9));
		below += value;
	}
	return Math.ceil(sorted.at(-1) ?? 0);
}

/** The smallest value that at least this share of the values does not exceed (nearest rank). */
function quantile(sorted: Float64Array, share: number): number {
	return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function hourOfWeek(hours: Hours, i: number): number {
	return (hours.fromHour + i + MONDAY_OFFSET_HOURS) % HOURS_PER_WEEK;
}

function weekOf(hours: Hours): DemandProfile["hourOfWeek"] {
	const demand = weeklyMeans(hours, hours.demand);
	const used = hours.used ? weeklyMeans(hours, hours.used) : null;
	return demand.map((gpus, i) => ({ demandGpus: round1(gpus), usedGpus: used ? round1(used[i] ?? 0) : null }));
}

function weeklyMeans(hours: Hours, series: Float64Array): number[] {
	const sums = new Float64Array(HOURS_PER_WEEK);
	const counts = new Float64Array(HOURS_PER_WEEK);
	for (let i = 0; i < series.length; i++) {
		const h = hourOfWeek(hours, i);
		sums[h] = (sums[h] ?? 0) + (series[i] ?? 0);
		counts[h] = (counts[h] ?? 0) + 1;
	}
	return Array.from(sums, (sum, h) => sum / Math.max(1, counts[h] ?? 1));
}

function daysOf({ fromHour, demand, used }: Hours): DemandProfile["days"] {
	const days = new Map<number, { hours: number; demand: number; used: number }>();
	for (let i = 0; i < demand.length; i++) {
		const day = Math.floor((fromHour + i) / 24);
		const sum = days.get(day) ?? { hours: 0, demand: 0, used: 0 };
		sum.hours++;
		sum.demand += demand[i] ?? 0;
		sum.used += used?.[i] ?? 0;
		days.set(day, sum);
	}
	return [...days].map(([day, sum]) => ({
		date: new Date(day * DAY_MS).toISOString().slice(0, 10),
		demandGpus: round1(sum.demand / sum.hours),
		usedGpus: used ? round1(sum.used / sum.hours) : null,
	}));
}

function seasonalityOf(hours: Hours): DemandProfile["seasonality"] {
	const { demand } = hours;
	const mean = sumOf(demand) / demand.length;
	const means = weeklyMeans(hours, demand);
	let [total, explained, weekend, weekendHours] = [0, 0, 0, 0];
	for (let i = 0; i < demand.length; i++) {
		const h = hourOfWeek(hours, i);
		total += ((demand[i] ?? 0) - mean) ** 2;
		explained += ((means[h] ?? 0) - mean) ** 2;
		if (h < 5 * 24) continue;
		weekend += demand[i] ?? 0;
		weekendHours++;
	}
	const weekdayHours = demand.length - weekendHours;
	const weekday = mean * demand.length - weekend;
	return {
		hourOfWeekShare: total > 0 ? round4(explained / total) : 0,
		weekendRatio: weekendHours > 0 && weekday > 0 ? round4(weekend / weekendHours / (weekday / weekdayHours)) : null,
		dayCorrelation: correlation(demand, 24),
		weekCorrelation: correlation(demand, HOURS_PER_WEEK),
	};
}

/** Pearson's autocorrelation of a series at a lag of this many hours; null for less than two such spans, or without variation. */
function correlation(series: Float64Array, lag: number): number | null {
	const n = series.length - lag;
	if (n < lag) return null;
	const [later, earlier] = [series.subarray(lag), series.subarray(0, n)];
	const [a, b] = [sumOf(later) / n, sumOf(earlier) / n];
	let [ab, aa, bb] = [0, 0, 0];
	for (let i = 0; i < n; i++) {
		const [x, y] = [(later[i] ?? 0) - a, (earlier[i] ?? 0) - b];
		ab += x * y;
		aa += x * x;
		bb += y * y;
	}
	return aa > 0 && bb > 0 ? round4(ab / Math.sqrt(aa * bb)) : null;
}

export function round1(value: number): number {
	return Math.round(value * 10) / 10;
}

export function round4(value: number): number {
	return Math.round(value * 10_000) / 10_000;
}
