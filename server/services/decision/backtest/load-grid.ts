import { and, gte, inArray, lt } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { gridIntensity } from "#server/db/schema/grid-intensity.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { HOURS_AHEAD, PATTERN_MS } from "#server/scheduling/forecast/forecast-hours.ts";
import type { RecordedGrid } from "#server/simulation/replay/grid-record.ts";
import { zonesInUse } from "../snapshot/forecast-grid.ts";

/**
 * Grid hours for pools and offers: those of the range, of the weeks before it for the pattern, and of the days after it that were forecast
 * by then. null when none is recorded. Cost: about 3,000 rows per zone for 90 days.
 */
export async function loadGrid(db: Db, { fromMs, toMs }: { fromMs: number; toMs: number }): Promise<RecordedGrid | null> {
	const zones = await zonesInUse(db);
	if (zones.size === 0) return null;
	const rows = await db
		.select()
		.from(gridIntensity)
		.where(
			and(
				inArray(gridIntensity.zone, [...new Set(zones.values())]),
				gte(gridIntensity.hour, new Date(fromMs - PATTERN_MS)),
				lt(gridIntensity.hour, new Date(toMs + HOURS_AHEAD * HOUR_MS)),
			),
		);
	if (rows.length === 0) return null;
	const hours = rows.map(({ zone, hour, milligramsPerKwh, observedAt }) => {
		return { zone, hourMs: hour.getTime(), gramsPerKwh: milligramsPerKwh / 1_000, recordedAtMs: observedAt.getTime() };
	});
	return { zones, hours: Map.groupBy(hours, ({ zone }) => zone) };
}
