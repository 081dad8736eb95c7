import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";

/** How the UTC hours of a day differ from each other, learned from past days. */
export interface HourPattern {
	/** Entry h: the value of hour h relative to the mean of its day; 1 where the difference is not significant. */
	factors: readonly number[];
	/** Mean of the last LEVEL_DAYS of them, in the unit of the series. */
	level: number;
	/** Share of a deviation from factor × mean that is left after an hour, 0 to 1. */
	lasting: number;
	/** Full days it was learned from, and the end of the last one. */
	days: number;
	untilMs: number;
}

/** Minimum number of full days. An assumption, as is LEVEL_DAYS. */
const DAYS_MIN = 7;
const LEVEL_DAYS = 7;
/** Chosen among 1, 6 and 12 hours on the grids of Germany and Great Britain in 2024 (docs/decisions.md). */
const LASTING_LAG = 12;
/** An hour differs when the mean of its ratios is this many standard errors from 1: a single price step is not a pattern. */
const SURE_ERRORS = 3;

/**
 * The pattern of an hourly series (start of the UTC hour → value above 0). Null when it has too few full days, or when no hour differs
 * significantly, so that waiting for another hour gains nothing.
 */
export function hourPattern(hours: ReadonlyMap<number, number>): HourPattern | null {
	const days = [...Map.groupBy(hours, ([hourMs]) => Math.floor(hourMs / DAY_MS))]
		.map(([day, entries]) => ({ day, values: entries.toSorted(([a], [b]) => a - b).map(([, value]) => value) }))
		.map((day) => ({ ...day, mean: meanOf(day.values) }))
		.filter(({ values, mean }) => values.length === 24 && mean > 0)
		.sort((a, b) => a.day - b.day);
	const last = days.at(-1);
	if (!last || days.length < DAYS_MIN) return null;
	const factors = Array.from({ length: 24 }, (_, h) => significantFactor(days.map(({ values, mean }) => (values[h] ?? mean) / mean)));
	if (factors.every((factor) => factor === 1)) return null;
	const level = meanOf(days.slice(-LEVEL_DAYS).map(({ mean }) => mean));
	return { factors, level, lasting: lastingShare(days, factors), days: days.length, untilMs: (last.day + 1) * DAY_MS };
}

/** From the autocorrelation of the deviations at LASTING_LAG, as in a first-order autoregressive process. 0 if it is not significant. */
function lastingShare(days: readonly { day: number; values: readonly number[]; mean: number }[], factors: readonly number[]): number {
	const mean = meanOf(days.map((day) => day.mean));
	const deviations = new Map(
		days.flatMap(({ day, values }) => values.map((value, h) => [day * 24 + h, value - mean * (factors[h] ?? 1)] as const)),
	);
	const products: number[] = [];
	for (const [hour, deviation] of deviations) {
		const later = deviations.get(hour + LASTING_LAG);
		if (later !== undefined) products.push(deviation * later);
	}
	const variance = meanOf([...deviations.values()].map((deviation) => deviation ** 2));
	const correlation = variance === 0 || products.length === 0 ? 0 : meanOf(products) / variance;
	return correlation > SURE_ERRORS / Math.sqrt(products.length) ? Math.min(1, correlation) ** (1 / LASTING_LAG) : 0;
}

export function factorAt({ factors }: Pick<HourPattern, "factors">, atMs: number): number {
	return factors[Math.floor(atMs / HOUR_MS) % 24] ?? 1;
}

function significantFactor(ratios: readonly number[]): number {
	const mean = meanOf(ratios);
	const variance = ratios.reduce((sum, ratio) => sum + (ratio - mean) ** 2, 0) / (ratios.length - 1);
	// Ratios of equal values differ in their last digits.
	const surely = Math.max(SURE_ERRORS * Math.sqrt(variance / ratios.length), 1e-9);
	return Math.abs(mean - 1) > surely ? mean : 1;
}

function meanOf(values: readonly number[]): number {
	return values.reduce((sum, value) => sum + value, 0) / values.length;
}
