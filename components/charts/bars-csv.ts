import { csvText } from "#components/csv/csv.ts";
import { type BarsInput, tabulateBars } from "./stacked-bars.ts";

/** The chart's table as CSV: the displayed values, with the previous period if shown. */
export function barsCsv(input: BarsInput, bucketWord: string): string {
	const previous = input.previous ? [input.previous.label] : [];
	const rows = tabulateBars(input).map((row) => [row.label, ...row.cells, row.range, ...(input.previous ? [row.previous] : [])]);
	return csvText([[bucketWord, ...input.series.map(({ label }) => label), "Forecast range", ...previous], ...rows]);
}
