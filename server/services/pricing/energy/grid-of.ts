import { and, avg, count, eq, gte, lt } from "drizzle-orm";
import type { Interval } from "#server/accounting/calendar.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { gridIntensity } from "#server/db/schema/grid-intensity.ts";
import { HOUR_MS } from "#server/kernel/units.ts";

/** Mean intensity of a place over a range: the mean of its hours when all are known, else the yearly average. */
export interface MeanGrid {
	gramsPerKwh: number | null;
	basis: "hours" | "year";
}

export async function meanGrid(db: DbOrTx, zone: string, { fromMs, toMs }: Interval, average: number | null): Promise<MeanGrid> {
	const [row] = await db
		.select({ hours: count(), milligrams: avg(gridIntensity.milligramsPerKwh) })
		.from(gridIntensity)
		.where(and(eq(gridIntensity.zone, zone), gte(gridIntensity.hour, new Date(fromMs)), lt(gridIntensity.hour, new Date(toMs))));
	const whole = Math.ceil((toMs - fromMs) / HOUR_MS);
	if (!row?.milligrams || row.hours < whole) return { gramsPerKwh: average, basis: "year" };
	return { gramsPerKwh: Number(row.milligrams) / 1_000, basis: "hours" };
}
