import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { forecastHours, HOURS_AHEAD, PATTERN_DAYS } from "#server/scheduling/forecast/forecast-hours.ts";
import { type HourPattern, hourPattern } from "#server/scheduling/forecast/hour-pattern.ts";

/**
 * The forecast of coming grid hours that the core sees in a replay. `history`: the pattern of the 28 days before, as a live core learns it.
 * `persistence`: each hour equals the same hour of the day before. `perfect`: the actual values.
 */
export const GRID_FORECASTS = ["history", "persistence", "perfect"] as const;
export type GridForecast = (typeof GRID_FORECASTS)[number];

const DAY_HOURS = 24;

/**
 * Coming hours by place from series that repeat (ReplayScenario.grid). Before its start a series continues with its end, so that the first
 * days of a replay have a past. If `given` has a forecast for a place, aligned with the series, that one is used.
 */
export class GridAhead {
	readonly #grid: ReadonlyMap<string, readonly number[]>;
	readonly #startMs: number;
	readonly #kind: GridForecast;
	readonly #given: ReadonlyMap<string, readonly number[]>;
	readonly #patterns = new Map<readonly number[], { day: number; pattern: HourPattern | null }>();
	#ahead: { hour: number; series: Map<string, readonly number[]> } | null = null;

	constructor(
		grid: ReadonlyMap<string, readonly number[]>,
		startMs: number,
		kind: GridForecast,
		given: ReadonlyMap<string, readonly number[]> = new Map(),
	) {
		this.#grid = grid;
		this.#startMs = startMs;
		this.#kind = kind;
		this.#given = given;
	}

	/** Index 0 is the hour of nowMs. Returns the same map within an hour. */
	ahead(nowMs: number): ReadonlyMap<string, readonly number[]> {
		const hour = Math.floor(nowMs / HOUR_MS);
		if (this.#ahead?.hour === hour) return this.#ahead.series;
		const bySeries = new Map<readonly number[], readonly number[]>();
		const series = new Map(
			[...this.#grid].map(([place, hours]) => {
				const given = this.#given.get(place);
				const known = given ? this.#actual(given, hour) : (bySeries.get(hours) ?? this.#foretell(hours, hour));
				if (!given) bySeries.set(hours, known);
				return [place, known] as const;
			}),
		);
		this.#ahead = { hour, series };
		return series;
	}

	#foretell(hours: readonly number[], hour: number): readonly number[] {
		if (this.#kind === "perfect") return this.#actual(hours, hour);
		const first = hour * HOUR_MS;
		if (this.#kind === "persistence")
			return Array.from({ length: HOURS_AHEAD }, (_, i) =>
				i === 0 ? this.#at(hours, hour) : this.#at(hours, hour + (i % DAY_HOURS) - DAY_HOURS),
			);
		const now = this.#at(hours, hour);
		return forecastHours(first, (atMs) => (atMs === first ? now : null), this.#patternOf(hours, hour));
	}

	#actual(hours: readonly number[], hour: number): readonly number[] {
		return Array.from({ length: HOURS_AHEAD }, (_, i) => this.#at(hours, hour + i));
	}

	/** Learned from complete past days. */
	#patternOf(hours: readonly number[], hour: number): HourPattern | null {
		const day = Math.floor((hour * HOUR_MS) / DAY_MS);
		const known = this.#patterns.get(hours);
		if (known?.day === day) return known.pattern;
		const last = day * DAY_HOURS;
		const past = Array.from({ length: PATTERN_DAYS * DAY_HOURS }, (_, i) => last - 1 - i);
		const pattern = hourPattern(new Map(past.map((at) => [at * HOUR_MS, this.#at(hours, at)])));
		this.#patterns.set(hours, { day, pattern });
		return pattern;
	}

	/** g/kWh of an hour, counted since the epoch. */
	#at(hours: readonly number[], hour: number): number {
		const index = (hour - Math.floor(this.#startMs / HOUR_MS)) % hours.length;
		return hours[index < 0 ? index + hours.length : index] ?? 0;
	}
}
