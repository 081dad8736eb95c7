import { SpillwayError } from "#server/kernel/errors.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { BadRow, numberIn } from "#server/simulation/trace-file/trace-rows.ts";
import { eachCsvRow, momentIn } from "./csv-table.ts";

/** gCO2e/kWh. A higher intensity is a unit error: burning lignite gives about 1,100. */
const MOST_GRAMS = 5_000;

/**
 * Grid intensity by hour, gCO2e/kWh, from `ts,g_per_kwh`: every hour once, without gaps. The list starts with the hour of `fromMs` (null:
 * the file's first) and wraps around at the end of the file.
 * @throws SpillwayError with the line of an invalid row, or when the file does not cover `fromMs`.
 */
export function parseGrid(csv: { text: string; name: string }, fromMs: number | null): number[] {
	const grams: number[] = [];
	let firstMs = 0;
	eachCsvRow(csv, ["ts", "g_per_kwh"], ([ts = "", text = ""]) => {
		const atMs = momentIn("ts", ts);
		if (grams.length === 0) firstMs = atMs;
		else if (atMs !== firstMs + grams.length * HOUR_MS)
			throw new BadRow("ts", `${ts} is not the hour after the row above it.`, "Give every hour once, in order; fill gaps before.");
		grams.push(numberIn("g_per_kwh", text, "grams a kWh", MOST_GRAMS));
	});
	if (grams.length === 0) throw new SpillwayError("invalid_input", `${csv.name} holds no hour.`, { fix: "Give rows of ts,g_per_kwh." });
	const first = fromMs === null ? 0 : Math.floor((fromMs - firstMs) / HOUR_MS);
	if (first < 0 || first >= grams.length)
		throw new SpillwayError(
			"invalid_input",
			`${csv.name} holds the hours from ${iso(firstMs)} to ${iso(firstMs + grams.length * HOUR_MS)}.`,
			{
				fix: "Choose grid.from within them.",
			},
		);
	return [...grams.slice(first), ...grams.slice(0, first)];
}

function iso(ms: number): string {
	return new Date(ms).toISOString();
}
