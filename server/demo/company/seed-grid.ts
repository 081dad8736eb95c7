import { hash32, seededRandom } from "#server/kernel/random.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { homeIntensity } from "#server/rates/carbon.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { writeIntensities } from "#server/services/pricing/energy/import-intensity.ts";
import type { IntensityRow } from "#server/services/pricing/energy/intensity-file.ts";

const ZONES = ["DE", "IE", "NL", "SE", "US-MIDA-PJM", "US-MIDW-MISO", "US-NW-BPAT"];
export const GRID_SOURCE = "Demo: shipped averages with an invented daily curve";
/** How far hours deviate from the average: lower at noon, higher in the evening. Invented. */
const SWING = { day: 0.22, weather: 0.12 };
const SUNNIEST_HOUR = 12;
const DAYS_AHEAD = 2;

/** Hourly grid intensity from then until the day after tomorrow, around the shipped average of each zone. */
export async function seedGrid(ctx: ServiceContext, fromMs: number): Promise<void> {
	const nowMs = ctx.clock.nowMs();
	const first = Math.floor(fromMs / HOUR_MS) * HOUR_MS;
	const hours = Math.ceil((nowMs + DAYS_AHEAD * DAY_MS - first) / HOUR_MS);
	const rows = ZONES.flatMap((zone) => hoursOf(zone, first, hours));
	await ctx.db.transaction((tx) => writeIntensities(tx, rows, GRID_SOURCE, nowMs));
}

function hoursOf(zone: string, firstMs: number, hours: number): IntensityRow[] {
	const average = homeIntensity(zone)?.gramsPerKwh;
	if (average === undefined) return [];
	return Array.from({ length: hours }, (_, i) => {
		const hourMs = firstMs + i * HOUR_MS;
		const day = seededRandom(hash32(`${zone}/${Math.floor(hourMs / DAY_MS)}`)).next() * 2 - 1;
		const sun = -Math.cos((2 * Math.PI * (((hourMs / HOUR_MS) % 24) - SUNNIEST_HOUR - 12)) / 24);
		return { zone, hourMs, milligramsPerKwh: Math.round(average * 1_000 * (1 - SWING.day * sun + SWING.weather * day)) };
	});
}
