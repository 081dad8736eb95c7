import { SpillwayError } from "#server/kernel/errors.ts";
import { BadRow, eachLine, shorten, splitCsv } from "#server/simulation/trace-file/trace-rows.ts";

/**
 * Calls `row` for every row of a CSV text with a header, with the fields of the wanted columns in their order. A column name that ends in
 * "?" is optional and yields "" when absent.
 * @throws SpillwayError naming the file and line of the first invalid row.
 */
export function eachCsvRow(csv: { text: string; name: string }, columns: readonly string[], row: (fields: string[]) => void): void {
	const { text, name } = csv;
	let places: number[] | null = null;
	let width = 0;
	eachLine(text, { offset: text.charCodeAt(0) === 0xfeff ? 1 : 0, line: 1 }, (line, number) => {
		try {
			const fields = splitCsv(line);
			if (places === null) {
				width = fields.length;
				places = placesOf(fields, columns);
				return;
			}
			if (fields.length !== width)
				throw new BadRow("row", `There are ${fields.length} fields, the header has ${width}.`, "Give every row a field for each column.");
			row(places.map((place) => fields[place]?.trim() ?? ""));
		} catch (error) {
			if (!(error instanceof BadRow)) throw error;
			throw new SpillwayError("invalid_input", `${name}, line ${number}: ${error.message}`, {
				fix: error.fix,
				fields: [{ path: error.column, message: error.message, line: number }],
			});
		}
	});
	if (places === null) throw new SpillwayError("invalid_input", `${name} is empty.`, { fix: `Begin with a header: ${header(columns)}.` });
}

function placesOf(given: readonly string[], columns: readonly string[]): number[] {
	const names = given.map((field) => field.trim().toLowerCase());
	return columns.map((column) => {
		const place = names.indexOf(column.replace(/\?$/, ""));
		if (place < 0 && !column.endsWith("?"))
			throw new BadRow(column, `The header has no column ${column}.`, `The columns are ${header(columns)}.`);
		return place;
	});
}

function header(columns: readonly string[]): string {
	return columns.map((column) => (column.endsWith("?") ? `${column.slice(0, -1)} (optional)` : column)).join(", ");
}

const MOMENT = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** UTC ms of a date or time. Without a time zone, UTC is assumed. */
export function momentIn(column: string, text: string): number {
	const zoned = text.replace(" ", "T");
	const ms = MOMENT.test(text)
		? Date.parse(/T.*(Z|[+-]\d{2}:\d{2})$/.test(zoned) || !zoned.includes("T") ? zoned : `${zoned}Z`)
		: Number.NaN;
	if (Number.isFinite(ms)) return ms;
	throw new BadRow(column, `${column} is "${shorten(text)}", which is no time.`, "Write for example 2026-06-01T00:00:00Z.");
}
