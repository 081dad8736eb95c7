import { and, asc, eq, gte, inArray, lt } from "drizzle-orm";
import type { Interval } from "#server/accounting/calendar.ts";
import { gridIntensity } from "#server/db/schema/grid-intensity.ts";
import { site } from "#server/db/schema/site.ts";
import { isCloudProvider, type Provider } from "#server/domain/vocabulary.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { gridZoneOf, gridIntensity as regionGrid } from "#server/rates/carbon.ts";
import { RATED_PROVIDERS } from "#server/rates/offers.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { homeGrid } from "#server/services/pricing/energy/home-grid.ts";
import { NO_FILTERS } from "../spend/filters.ts";
import { segmentsOf } from "../spend/group-sums.ts";
import { spendRange } from "../spend/range.ts";
import { readSums } from "../spend/read-sums.ts";

/** `hour`: measured for that hour; `forecast`: for a future hour; `average`: the yearly average, the same for every hour. */
export interface GridCell {
	hourMs: number;
	gramsPerKwh: number | null;
	basis: "hour" | "forecast" | "average";
}

export interface GridPlace {
	siteId: string;
	name: string;
	provider: Provider;
	/** "" for owned sites. */
	region: string;
	zone: string | null;
	pue: number | null;
	/** Yearly average in g CO2e/kWh, and its year; null when no source has one. */
	averageGramsPerKwh: number | null;
	averageYear: number | null;
	/** Mean of the known cells; null when none are known. */
	meanGramsPerKwh: number | null;
	/** Whether jobs used GPUs there in the range. */
	hadWork: boolean;
	cells: GridCell[];
}

export interface GridView {
	/** The UTC day shown: the last day of the range, or today. */
	dayStartMs: number;
	/** Cleanest first, unknown last. */
	places: GridPlace[];
}

/**
 * Intensity by place and hour over one UTC day: owned sites, regions that cloud sites may use, and regions where work ran.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function gridView(ctx: ServiceContext, input: Interval): Promise<GridView> {
	const teams = teamScope(ctx, "spend:read");
	const calendar = await ledgerCalendar(ctx.db);
	const range = spendRange(input, calendar);
	const nowMs = ctx.clock.nowMs();
	const dayStartMs = Math.floor((Math.min(range.toMs, nowMs + 1) - 1) / DAY_MS) * DAY_MS;
	const cover = segmentsOf(range, null, calendar);
	const worked = async (groupBy: "site" | "region"): Promise<Set<string>> => {
		const rows = await readSums(ctx.db, { ...cover, groupBy, byBucket: false, filters: NO_FILTERS, teams, columns: ["gpuMs"] });
		return new Set(rows.filter((row) => !row.idle && row.gpuMs > 0n).map((row) => row.key));
	};
	const [sites, sitesUsed, regionsUsed] = await Promise.all([
		ctx.db.select().from(site).where(eq(site.enabled, true)).orderBy(asc(site.id)),
		worked("site"),
		worked("region"),
	]);
	const places = sites.flatMap((row) => {
		const own = { siteId: row.id, name: row.name, provider: row.provider };
		if (!isCloudProvider(row.provider)) return [homePlace(own, row.settings, sitesUsed.has(row.id))];
		const listed = Array.isArray(row.settings.regions) ? row.settings.regions.map(String) : [];
		// A region that is no longer configured stays visible while the range includes its work.
		const former = [...regionsUsed].filter((region) => gridZoneOf(row.provider, region) !== null);
		const used = (region: string) => sitesUsed.has(row.id) && regionsUsed.has(region);
		return [...new Set([...listed, ...(sitesUsed.has(row.id) ? former : [])])]
			.sort()
			.map((region) => cloudPlace(own, region, used(region)));
	});
	const known = await hoursOfDay(
		ctx,
		places.flatMap((place) => place.zone ?? []),
		dayStartMs,
	);
	return { dayStartMs, places: places.map((place) => withCells(place, known, dayStartMs, nowMs)).sort(cleanestFirst) };
}

type PlaceFacts = Omit<GridPlace, "cells" | "meanGramsPerKwh">;

function homePlace(own: Pick<PlaceFacts, "siteId" | "name" | "provider">, settings: Record<string, unknown>, hadWork: boolean): PlaceFacts {
	const grid = homeGrid(settings);
	return { ...own, region: "", zone: grid.zone, pue: grid.pue, averageGramsPerKwh: grid.gramsPerKwh, averageYear: grid.year, hadWork };
}

function cloudPlace(own: Pick<PlaceFacts, "siteId" | "name" | "provider">, region: string, hadWork: boolean): PlaceFacts {
	const provider = RATED_PROVIDERS.find((p) => p === own.provider);
	const grid = provider ? regionGrid(provider, region) : null;
	return {
		...own,
		region,
		zone: gridZoneOf(own.provider, region),
		pue: grid?.pue ?? null,
		averageGramsPerKwh: grid?.gramsPerKwh ?? null,
		averageYear: grid?.year ?? null,
		hadWork,
	};
}

async function hoursOfDay(ctx: Pick<ServiceContext, "db">, zones: readonly string[], dayStartMs: number): Promise<Map<string, number>> {
	if (zones.length === 0) return new Map();
	const rows = await ctx.db
		.select({ zone: gridIntensity.zone, hour: gridIntensity.hour, value: gridIntensity.milligramsPerKwh })
		.from(gridIntensity)
		.where(
			and(
				inArray(gridIntensity.zone, [...new Set(zones)]),
				gte(gridIntensity.hour, new Date(dayStartMs)),
				lt(gridIntensity.hour, new Date(dayStartMs + DAY_MS)),
			),
		);
	return new Map(rows.map((row) => [`${row.zone} ${row.hour.getTime()}`, row.value / 1_000]));
}

function withCells(place: PlaceFacts, known: ReadonlyMap<string, number>, dayStartMs: number, nowMs: number): GridPlace {
	const cells = Array.from({ length: 24 }, (_, i): GridCell => {
		const hourMs = dayStartMs + i * HOUR_MS;
		const own = place.zone === null ? undefined : known.get(`${place.zone} ${hourMs}`);
		if (own === undefined) return { hourMs, gramsPerKwh: place.averageGramsPerKwh, basis: "average" };
		return { hourMs, gramsPerKwh: own, basis: hourMs > nowMs ? "forecast" : "hour" };
	});
	const values = cells.flatMap((cell) => cell.gramsPerKwh ?? []);
	return { ...place, cells, meanGramsPerKwh: values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length };
}

function cleanestFirst(a: GridPlace, b: GridPlace): number {
	return (
		(a.meanGramsPerKwh ?? Number.POSITIVE_INFINITY) - (b.meanGramsPerKwh ?? Number.POSITIVE_INFINITY) || (a.region < b.region ? -1 : 1)
	);
}
