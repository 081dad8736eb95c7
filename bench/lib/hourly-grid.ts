import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import type { Offer } from "#server/domain/capacity.ts";
import { gridZoneOf } from "#server/rates/carbon.ts";
import { parseGrid } from "#server/simulation/scenario-file/grid-file.ts";

/** A Monday in January, like the first day of the benchmarks' scenario; the recorded hours start there. */
const FROM_MS = Date.UTC(2024, 0, 8);

/**
 * Recorded grid intensity, gCO2e/kWh by hour, for places in a zone with a file `<zone>.csv.gz` (columns `ts,g_per_kwh`) in the folder.
 * Every other place keeps its average.
 * @param home pool ids, all in this zone
 * @throws SpillwayError with file and line of what cannot be read, or when a file does not cover FROM_MS
 */
export function hourlyGrid(
	folder: string,
	offers: readonly Offer[],
	home: { poolIds: readonly string[]; zone: string },
): Map<string, number[]> {
	const zones = new Map(home.poolIds.map((id) => [id, home.zone]));
	for (const { provider, region } of offers) {
		const zone = gridZoneOf(provider, region);
		if (zone !== null) zones.set(`${provider}:${region}`, zone);
	}
	const byZone = new Map([...new Set(zones.values())].map((zone) => [zone, hoursOf(path.join(folder, `${zone}.csv.gz`))]));
	return new Map(
		[...zones].flatMap(([place, zone]) => {
			const hours = byZone.get(zone) ?? null;
			return hours === null ? [] : [[place, hours] as const];
		}),
	);
}

function hoursOf(file: string): number[] | null {
	return existsSync(file) ? parseGrid({ text: gunzipSync(readFileSync(file)).toString("utf8"), name: file }, FROM_MS) : null;
}
