import { and, eq, gte, inArray, lt } from "drizzle-orm";
import type { DbOrTx, Tx } from "#server/db/client.ts";
import { gridIntensity } from "#server/db/schema/grid-intensity.ts";
import { offer } from "#server/db/schema/offer.ts";
import { pool, site } from "#server/db/schema/site.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { gridZoneOf } from "#server/rates/carbon.ts";
import { forecastHours, HOURS_AHEAD, PATTERN_MS } from "#server/scheduling/forecast/forecast-hours.ts";
import { hourPattern } from "#server/scheduling/forecast/hour-pattern.ts";
import type { ForecastSource } from "#server/scheduling/types.ts";
import { homeGrid } from "#server/services/pricing/energy/home-grid.ts";

/** The coming hours of one place, index 0 the current hour, and the source of the forecast. */
export interface Series {
	hourly: readonly number[];
	by: ForecastSource;
}

/**
 * Grid intensity of the coming hours by pool id and `provider:region`, g CO2e/kWh: the imported value of an hour, else
 * the pattern of that hour of the day over the past weeks. A series ends where neither exists. Places in zones
 * without recorded hours are omitted. Cost: reads the hours of 32 days for the zones in use.
 */
export async function forecastGrid(tx: Tx, nowMs: number): Promise<ReadonlyMap<string, Series>> {
	const zones = await zonesInUse(tx);
	if (zones.size === 0) return new Map();
	const firstMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
	const rows = await tx
		.select()
		.from(gridIntensity)
		.where(
			and(
				inArray(gridIntensity.zone, [...new Set(zones.values())]),
				gte(gridIntensity.hour, new Date(firstMs - PATTERN_MS)),
				lt(gridIntensity.hour, new Date(firstMs + HOURS_AHEAD * HOUR_MS)),
			),
		);
	const byZone = new Map([...Map.groupBy(rows, (row) => row.zone)].map(([zone, of]) => [zone, seriesOf(of, firstMs)]));
	return new Map(
		[...zones].flatMap(([place, zone]) => {
			const series = byZone.get(zone);
			return series && series.hourly.length > 1 ? [[place, series] as const] : [];
		}),
	);
}

/** Grid zone by pool id and `provider:region`, for places that have one. */
export async function zonesInUse(tx: DbOrTx): Promise<ReadonlyMap<string, string>> {
	const pools = await tx.select({ id: pool.id, settings: site.settings }).from(pool).innerJoin(site, eq(site.id, pool.siteId));
	const regions = await tx.selectDistinct({ provider: offer.provider, region: offer.region }).from(offer);
	return new Map([
		...pools.map(({ id, settings }) => [id, homeGrid(settings).zone] as const),
		...regions.flatMap(({ provider, region }) => {
			const zone = gridZoneOf(provider, region);
			return zone === null ? [] : [[`${provider}:${region}`, zone] as const];
		}),
	]);
}

type Row = typeof gridIntensity.$inferSelect;

function seriesOf(rows: readonly Row[], firstMs: number): Series {
	const known = new Map(rows.map((row) => [row.hour.getTime(), row.milligramsPerKwh / 1_000]));
	const pattern = hourPattern(new Map([...known].filter(([hourMs]) => hourMs < firstMs)));
	const hourly = forecastHours(firstMs, (hourMs) => known.get(hourMs) ?? null, pattern);
	let published = 0;
	while (published < hourly.length && known.has(firstMs + published * HOUR_MS)) published++;
	const coming = rows.filter((row) => row.hour.getTime() >= firstMs);
	const newest = rows.reduce<Row | null>((max, row) => (max && max.hour >= row.hour ? max : row), null);
	const atMs = coming.reduce((min, row) => Math.min(min, row.observedAt.getTime()), Number.POSITIVE_INFINITY);
	return {
		hourly,
		by: {
			source: newest?.source ?? "",
			published: published > 0 ? { hours: published, atMs } : null,
			pattern: pattern && { days: pattern.days, untilMs: pattern.untilMs },
		},
	};
}
