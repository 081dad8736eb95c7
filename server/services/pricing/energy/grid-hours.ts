import { and, gte, inArray, lt } from "drizzle-orm";
import { bucketStartMs, type Interval, nextBucketStartMs } from "#server/accounting/calendar.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { gridIntensity } from "#server/db/schema/grid-intensity.ts";
import { HOUR_MS } from "#server/kernel/units.ts";

/** mg CO2e per kWh by start of the UTC hour. */
export type GridHours = ReadonlyMap<number, number>;

const NO_HOURS: GridHours = new Map();
/** How long a missing value is cached. An import in another process becomes visible after this time. */
const MISS_MS = 60_000;
/** Ten zones for a year. */
const HOURS_MAX = 100_000;

interface Known {
	milligramsPerKwh: number | null;
	/** When it was looked up, for a null value. */
	atMs: number;
}

/**
 * An in-memory cache of the table's hours, because the meter reads the same hour every few seconds. The value of a started hour
 * never changes (import-intensity.ts), so it is cached permanently; gaps are cached for a minute.
 */
export class GridHoursCache {
	readonly #byZone = new Map<string, Map<number, Known>>();
	#size = 0;

	/** The known hours that overlap the interval, by zone. Cost: one query when any hour is not cached. */
	async hoursOf(db: DbOrTx, zones: Iterable<string>, { fromMs, toMs }: Interval, nowMs: number): Promise<ReadonlyMap<string, GridHours>> {
		const asked = [...new Set(zones)];
		const hours: number[] = [];
		for (let at = bucketStartMs("hour", fromMs); at < toMs; at = nextBucketStartMs("hour", at)) hours.push(at);
		const first = hours[0];
		if (first === undefined || asked.length === 0) return new Map();
		if (this.#size > HOURS_MAX) this.#byZone.clear();
		const stale = asked.filter((zone) => hours.some((hour) => !this.#holds(zone, hour, nowMs)));
		if (stale.length > 0) await this.#load(db, stale, { fromMs: first, toMs: (hours.at(-1) ?? first) + HOUR_MS }, nowMs);
		return new Map(asked.map((zone) => [zone, this.#read(zone, hours)]));
	}

	#holds(zone: string, hour: number, nowMs: number): boolean {
		const known = this.#byZone.get(zone)?.get(hour);
		if (!known) return false;
		return known.milligramsPerKwh === null ? nowMs >= known.atMs && nowMs - known.atMs < MISS_MS : hour <= known.atMs;
	}

	async #load(db: DbOrTx, zones: readonly string[], { fromMs, toMs }: Interval, nowMs: number): Promise<void> {
		const rows = await db
			.select({ zone: gridIntensity.zone, hour: gridIntensity.hour, value: gridIntensity.milligramsPerKwh })
			.from(gridIntensity)
			.where(
				and(inArray(gridIntensity.zone, [...zones]), gte(gridIntensity.hour, new Date(fromMs)), lt(gridIntensity.hour, new Date(toMs))),
			);
		const found = new Map(rows.map((row) => [`${row.zone} ${row.hour.getTime()}`, row.value]));
		for (const zone of zones) {
			const of = this.#byZone.get(zone) ?? new Map<number, Known>();
			for (let hour = fromMs; hour < toMs; hour += HOUR_MS) {
				of.set(hour, { milligramsPerKwh: found.get(`${zone} ${hour}`) ?? null, atMs: nowMs });
			}
			this.#byZone.set(zone, of);
		}
		this.#size = [...this.#byZone.values()].reduce((sum, of) => sum + of.size, 0);
	}

	#read(zone: string, hours: readonly number[]): GridHours {
		const of = this.#byZone.get(zone);
		const known = hours.flatMap((hour): [number, number][] => {
			const value = of?.get(hour)?.milligramsPerKwh ?? null;
			return value === null ? [] : [[hour, value]];
		});
		return known.length === 0 ? NO_HOURS : new Map(known);
	}
}

/** One cache per database: tests have many databases, a process has one. */
const caches = new WeakMap<object, GridHoursCache>();

export function gridHoursCache(db: object): GridHoursCache {
	const cache = caches.get(db) ?? new GridHoursCache();
	caches.set(db, cache);
	return cache;
}
