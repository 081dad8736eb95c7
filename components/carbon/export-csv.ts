import type { CarbonRow } from "#components/carbon/prepare-table.ts";
import { BY_LABEL, type CarbonBy } from "#components/carbon/range.ts";
import { csvText } from "#components/csv/csv.ts";

/** Milligrams as kilograms with all six digits, as a machine reads them. */
export function exactKg(milligrams: bigint): string {
	const abs = milligrams < 0n ? -milligrams : milligrams;
	return `${milligrams < 0n ? "-" : ""}${abs / 1_000_000n}.${(abs % 1_000_000n).toString().padStart(6, "0")}`;
}

/** The table as it is shown, as CSV (RFC 4180): the same rows in the same order. */
export function carbonCsv(rows: readonly CarbonRow[], by: CarbonBy, range: { fromMs: number; toMs: number }): string {
	const time = (ms: number) => new Date(ms).toISOString();
	const head = [
		...[BY_LABEL[by], "Operational kg CO2e (location-based)", "Embodied kg CO2e", "Total kg CO2e", "Share", "GPU hours"],
		...["kg CO2e per GPU hour", "Complete", "From (UTC)", "To (UTC)"],
	];
	const lines = rows.map((row) => [
		row.label,
		...[row.operationalMilligrams, row.embodiedMilligrams, row.totalMilligrams].map(exactKg),
		row.share.toFixed(6),
		(Number(row.gpuMs) / 3_600_000).toFixed(4),
		row.milligramsPerGpuHour === null ? "" : exactKg(row.milligramsPerGpuHour),
		row.incomplete ? "no" : "yes",
		time(range.fromMs),
		time(range.toMs),
	]);
	return csvText([head, ...lines]);
}
