import { and, asc, gte, inArray, lt } from "drizzle-orm";
import { bucketStartMs, type Interval } from "#server/accounting/calendar.ts";
import type { OwnedPool, OwnedUse } from "#server/accounting/meter-pool.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { electricityPrice } from "#server/db/schema/electricity-price.ts";
import { reachOf } from "../energy/power-facts.ts";

/** The price per kWh in an hour, and its source. */
export interface ElectricityHourPrice {
	microUsdPerKwh: bigint;
	source: string;
}

/** Known prices of a site's UTC hours, ordered by start. Cost: its rows in the interval, by key. */
export async function electricityHoursOf(
	db: DbOrTx,
	siteId: string,
	interval: Interval,
): Promise<ReadonlyMap<number, ElectricityHourPrice>> {
	return (await electricityHoursOfSites(db, [siteId], interval)).get(siteId) ?? new Map();
}

/** The same for several sites at once; a site without any known hour is omitted. */
export async function electricityHoursOfSites(
	db: DbOrTx,
	siteIds: readonly string[],
	{ fromMs, toMs }: Interval,
): Promise<ReadonlyMap<string, ReadonlyMap<number, ElectricityHourPrice>>> {
	const sites = new Map<string, Map<number, ElectricityHourPrice>>();
	if (siteIds.length === 0) return sites;
	const p = electricityPrice;
	const rows = await db
		.select({ siteId: p.siteId, hour: p.hour, microUsdPerKwh: p.microUsdPerKwh, source: p.source })
		.from(p)
		.where(and(inArray(p.siteId, [...siteIds]), gte(p.hour, new Date(bucketStartMs("hour", fromMs))), lt(p.hour, new Date(toMs))))
		.orderBy(asc(p.siteId), asc(p.hour));
	for (const { siteId, hour, ...price } of rows) {
		const hours = sites.get(siteId) ?? new Map<number, ElectricityHourPrice>();
		sites.set(siteId, hours.set(hour.getTime(), price));
	}
	return sites;
}

/** Only the prices, in micro-dollars per kWh, for the meter. */
export async function electricityPricesOf(db: DbOrTx, siteId: string, interval: Interval): Promise<ReadonlyMap<number, bigint>> {
	return new Map([...(await electricityHoursOf(db, siteId, interval))].map(([hourMs, { microUsdPerKwh }]) => [hourMs, microUsdPerKwh]));
}

/** The pool with the prices of all hours that metering these uses may charge or reverse. */
export async function withElectricityHours<Pool extends OwnedPool>(
	db: DbOrTx,
	pool: Pool,
	uses: readonly OwnedUse[],
	interval: Interval,
): Promise<Pool> {
	if (pool.cards.length === 0) return pool;
	const electricityHours = await electricityPricesOf(db, pool.place.siteId, reachOf(uses, interval));
	return electricityHours.size === 0 ? pool : { ...pool, electricityHours };
}
