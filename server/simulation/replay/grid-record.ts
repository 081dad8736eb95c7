import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { forecastHours, PATTERN_MS } from "#server/scheduling/forecast/forecast-hours.ts";
import { type HourPattern, hourPattern } from "#server/scheduling/forecast/hour-pattern.ts";

/** Recorded grid hours. Plain data that can be cloned into another thread. */
export interface RecordedGrid {
	/** Zone by pool id and `provider:region`. */
	zones: ReadonlyMap<string, string>;
	/** By zone, in any order; from PATTERN_MS before the replay on. */
	hours: ReadonlyMap<string, readonly GridHour[]>;
}

export interface GridHour {
	/** Start of the UTC hour. */
	hourMs: number;
	gramsPerKwh: number;
	/** When it was recorded. A forecast hour is known from then on; any other hour is known once it is over. */
	recordedAtMs: number;
}

interface Zone {
	hours: ReadonlyMap<number, GridHour>;
	/** Keyed by the sum of the bounds they were learned between. */
	patterns: Map<number, HourPattern | null>;
}

/** Hourly grid data of a replay: past hours, and the forecast that a live core would have had. */
export class GridRecord {
	readonly #zones: ReadonlyMap<string, Zone>;
	readonly #places: ReadonlyMap<string, string>;
	#ahead: { firstMs: number; series: Map<string, readonly number[]> } | null = null;

	constructor({ zones, hours }: RecordedGrid) {
		this.#places = zones;
		this.#zones = new Map([...hours].map(([zone, of]) => [zone, { hours: new Map(of.map((h) => [h.hourMs, h])), patterns: new Map() }]));
	}

	/** Hours × g/kWh of a place between two moments, with `average` for hours that are not on record; null when neither is known. */
	over(place: string, average: number | null, fromMs: number, toMs: number): number | null {
		const zone = this.#zoneOf(place);
		let sum = 0;
		for (let hourMs = floorHour(fromMs); hourMs < toMs; hourMs += HOUR_MS) {
			const grams = zone?.hours.get(hourMs)?.gramsPerKwh ?? average;
			if (grams === null) return null;
			sum += (grams * (Math.min(toMs, hourMs + HOUR_MS) - Math.max(fromMs, hourMs))) / HOUR_MS;
		}
		return sum;
	}

	/** Coming hours by place, index 0 the hour of nowMs, as a live core would forecast them then. Returns the same map within an hour. */
	ahead(nowMs: number): ReadonlyMap<string, readonly number[]> {
		const firstMs = floorHour(nowMs);
		if (this.#ahead?.firstMs === firstMs) return this.#ahead.series;
		const byZone = new Map([...this.#zones].map(([name, zone]) => [name, seriesOf(zone, firstMs, nowMs)]));
		const series = new Map(
			[...this.#places].flatMap(([place, name]) => {
				const hourly = byZone.get(name) ?? [];
				return hourly.length > 1 ? [[place, hourly] as const] : [];
			}),
		);
		this.#ahead = { firstMs, series };
		return series;
	}

	#zoneOf(place: string): Zone | undefined {
		const name = this.#places.get(place);
		return name === undefined ? undefined : this.#zones.get(name);
	}
}

function seriesOf(zone: Zone, firstMs: number, nowMs: number): number[] {
	const forecastFor = (hourMs: number): number | null => {
		const hour = zone.hours.get(hourMs);
		return hour && hour.recordedAtMs <= nowMs ? hour.gramsPerKwh : null;
	};
	return forecastHours(firstMs, forecastFor, patternOf(zone, firstMs));
}

/**
 * Learned as by a live core, from the complete days of the last PATTERN_MS. From the second hour of a day on, one day fewer is complete.
 */
function patternOf({ hours, patterns }: Zone, firstMs: number): HourPattern | null {
	const dayMs = Math.floor(firstMs / DAY_MS) * DAY_MS;
	const sinceMs = Math.ceil((firstMs - PATTERN_MS) / DAY_MS) * DAY_MS;
	const kept = patterns.get(dayMs + sinceMs);
	if (kept !== undefined) return kept;
	const past = [...hours.values()].filter(({ hourMs }) => sinceMs <= hourMs && hourMs < dayMs);
	const pattern = hourPattern(new Map(past.map(({ hourMs, gramsPerKwh }) => [hourMs, gramsPerKwh])));
	patterns.set(dayMs + sinceMs, pattern);
	return pattern;
}

function floorHour(atMs: number): number {
	return Math.floor(atMs / HOUR_MS) * HOUR_MS;
}
