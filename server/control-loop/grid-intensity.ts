import { and, eq, gte, isNull } from "drizzle-orm";
import { gridIntensity } from "#server/db/schema/grid-intensity.ts";
import { site } from "#server/db/schema/site.ts";
import { isCloudProvider } from "#server/domain/vocabulary.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { gridZoneOf } from "#server/rates/carbon.ts";
import { readIntensityHistory } from "#server/rates/electricity-maps.ts";
import { writeIntensities } from "#server/services/carbon/import-intensity.ts";
import { readIntensityFile } from "#server/services/carbon/intensity-file.ts";
import { homeGrid } from "#server/services/site/home-grid.ts";
import type { LoopContext } from "./context.ts";
import { messageOf } from "./messages.ts";

export interface CarbonApi {
	url: string;
	token: string | undefined;
}

/**
 * Reads the last 24 hours of the zones of all sites, each zone of which the last full hour is not known. A zone that cannot be
 * read keeps the shipped average, and the others go on; a gap of up to a day is filled when the service is back.
 */
export async function readGridIntensity(ctx: LoopContext, api: CarbonApi, signal?: AbortSignal): Promise<void> {
	const nowMs = ctx.clock.nowMs();
	const lastHour = new Date(Math.floor(nowMs / HOUR_MS) * HOUR_MS - HOUR_MS);
	const known = await ctx.db.select({ zone: gridIntensity.zone }).from(gridIntensity).where(gte(gridIntensity.hour, lastHour));
	const fresh = new Set(known.map((row) => row.zone));
	const source = `${new URL(api.url).host}, hourly`;
	for (const zone of await zonesOfSites(ctx)) {
		if (fresh.has(zone)) continue;
		try {
			const rows = readIntensityFile(await readIntensityHistory(api, zone, signal), zone);
			await ctx.db.transaction((tx) => writeIntensities(tx, rows, source, nowMs));
		} catch (error) {
			if (signal?.aborted) return;
			ctx.log("warn", "the grid's intensity could not be read; the shipped average holds", { zone, error: messageOf(error) });
		}
	}
}

async function zonesOfSites(ctx: LoopContext): Promise<string[]> {
	const rows = await ctx.db
		.select({ provider: site.provider, settings: site.settings })
		.from(site)
		.where(and(eq(site.enabled, true), isNull(site.removedAt)));
	const zones = rows.flatMap(({ provider, settings }) => {
		if (!isCloudProvider(provider)) return [homeGrid(settings).zone];
		const regions = Array.isArray(settings["regions"]) ? settings["regions"].map(String) : [];
		return regions.flatMap((region) => gridZoneOf(provider, region) ?? []);
	});
	return [...new Set(zones)].sort();
}
