import { and, asc, eq, gte, lt } from "drizzle-orm";
import { bucketStartMs, type Interval } from "#server/accounting/calendar.ts";
import type { OwnedPool, OwnedUse } from "#server/accounting/meter-pool.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { electricityPrice } from "#server/db/schema/electricity-price.ts";
import { reachOf } from "../carbon/power-facts.ts";

/** What a kWh cost in an hour, and who said so. */
export interface ElectricityHourPrice {
	microUsdPerKwh: bigint;
	source: string;
}

/** Known prices of a site's UTC hours by the hour's start, in order. Cost: its rows of the interval, by their key. */
export async function electricityHoursOf(
	db: DbOrTx,
	siteId: string,
	{ fromMs, toMs }: Interval,
): Promise<ReadonlyMap<number, ElectricityHourPrice>> {
	const p = electricityPrice;
	const rows = await db
		.select({ hour: p.hour, microUsdPerKwh: p.microUsdPerKwh, source: p.source })
		.from(p)
		.where(and(eq(p.siteId, siteId), gte(p.hour, new Date(bucketStartMs("hour", fromMs))), lt(p.hour, new Date(toMs))))
		.orderBy(asc(p.hour));
	return new Map(rows.map(({ hour, ...price }) => [hour.getTime(), price]));
}

/** The prices alone, micro-dollars per kWh, as the meter takes them. */
export async function electricityPricesOf(db: DbOrTx, siteId: string, interval: Interval): Promise<ReadonlyMap<number, bigint>> {
	return new Map([...(await electricityHoursOf(db, siteId, interval))].map(([hourMs, { microUsdPerKwh }]) => [hourMs, microUsdPerKwh]));
}

/** The pool with the prices of all hours that a metering of these uses may charge or take back. */
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
