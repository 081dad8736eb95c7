import { and, gte, inArray, lt } from "drizzle-orm";
import { bucketStartMs, type Interval, nextBucketStartMs } from "#server/accounting/calendar.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { gridIntensity } from "#server/db/schema/grid-intensity.ts";
import { HOUR_MS } from "#server/kernel/units.ts";

/** mg CO2e per kWh by start of the UTC hour. */
export type GridHours = ReadonlyMap<number, number>;

const NO_HOURS: GridHours = new Map();
/** How long "no figure" holds: an import made meanwhile in another process is seen after it. */
const MISS_MS = 60_000;
/** Ten zones of a year. */
const HOURS_MAX = 100_000;

interface Known {
	milligramsPerKwh: number | null;
	/** For null: when it was looked up. */
	atMs: number;
}

/**
 * The table's data on single hours, kept in memory: the meter reads the same hour every few seconds. A started hour never
 * changes its figure (import-intensity.ts), so figures of started hours are kept permanently, gaps for a minute.
 */
export class GridHoursCache {
	readonly #byZone = new Map<string, Map<number, Known>>();
	#size = 0;

	/** The known hours that the interval touches, by zone. Cost: one query when any hour is new. */
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

/** One cache a database: tests have many, a process has one. */
const caches = new WeakMap<object, GridHoursCache>();

export function gridHoursCache(db: object): GridHoursCache {
	const cache = caches.get(db) ?? new GridHoursCache();
	caches.set(db, cache);
	return cache;
}
