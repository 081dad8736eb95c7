import { type ChartMark, marksByRow } from "#components/charts/marks.ts";
import { csvText } from "#server/kernel/csv.ts";
import { type BarsInput, tabulateBars } from "./stacked-bars.ts";

/** The chart's table as CSV: the displayed values, with the previous period and the events if shown. */
export function barsCsv(input: BarsInput, bucketWord: string, marks: readonly ChartMark[] = []): string {
	const events = marksByBar(marks, input.bars.length);
	const eventsOf = (bar: number) => (events.size > 0 ? [events.get(bar) ?? ""] : []);
	const previous = input.previous ? [input.previous.label] : [];
	const rows = tabulateBars(input).map((row, bar) => [
		row.label,
		...row.cells,
		row.range,
		...(input.previous ? [row.previous] : []),
		...eventsOf(bar),
	]);
	return csvText([
		[bucketWord, ...input.series.map(({ label }) => label), "Forecast range", ...previous, ...(events.size > 0 ? ["Events"] : [])],
		...rows,
	]);
}

/** The texts of the marks by bar. */
export function marksByBar(marks: readonly ChartMark[], bars: number): ReadonlyMap<number, string> {
	return marksByRow(marks, ({ share }) => Math.min(bars - 1, Math.floor(share * bars)));
}
