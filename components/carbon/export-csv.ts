import type { CarbonRow } from "#components/carbon/prepare-table.ts";
import { BY_LABEL, type CarbonBy } from "#components/carbon/range.ts";
import { exactKilos } from "#components/csv/csv.ts";
import { csvText } from "#server/kernel/csv.ts";

/** The table as CSV (RFC 4180), in the same order. */
export function carbonCsv(rows: readonly CarbonRow[], by: CarbonBy, range: { fromMs: number; toMs: number }): string {
	const time = (ms: number) => new Date(ms).toISOString();
	const head = [
		...[BY_LABEL[by], "Operational kg CO2e (location-based)", "Embodied kg CO2e", "Total kg CO2e", "Share", "GPU-hours"],
		...["kg CO2e per GPU-hour", "Energy kWh", "Measured kWh", "of it by the hour's grid kWh"],
		...["Complete", "From (UTC)", "To (UTC)"],
	];
	const lines = rows.map((row) => [
		row.label,
		...[row.operationalMilligrams, row.embodiedMilligrams, row.totalMilligrams].map(exactKilos),
		row.share.toFixed(6),
		(Number(row.gpuMs) / 3_600_000).toFixed(4),
		exactKilos(row.milligramsPerGpuHour),
		...[row.energy.energyMilliWh, row.energy.measuredEnergyMilliWh, row.energy.hourlyGridMilliWh].map(exactKilos),
		row.incomplete ? "no" : "yes",
		time(range.fromMs),
		time(range.toMs),
	]);
	return csvText([head, ...lines]);
}
