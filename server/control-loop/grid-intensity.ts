import { and, eq, gte, isNull } from "drizzle-orm";
import { gridIntensity } from "#server/db/schema/grid-intensity.ts";
import { site } from "#server/db/schema/site.ts";
import { isCloudProvider } from "#server/domain/vocabulary.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { gridZoneOf } from "#server/rates/carbon.ts";
import { readIntensityHistory } from "#server/rates/electricity-maps.ts";
import { homeGrid } from "#server/services/pricing/energy/home-grid.ts";
import { writeIntensities } from "#server/services/pricing/energy/import-intensity.ts";
import { readIntensityFile } from "#server/services/pricing/energy/intensity-file.ts";
import type { LoopContext } from "./context.ts";
import { messageOf } from "./messages.ts";

export interface CarbonApi {
	url: string;
	token: string | undefined;
}

/**
 * Reads the last 24 hours for each zone of a site that lacks the last full hour. A zone that fails keeps the shipped average.
 * Gaps of up to a day are filled when the service is back.
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
			ctx.log("warn", "Could not read the grid intensity; using the shipped average", { zone, error: messageOf(error) });
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
