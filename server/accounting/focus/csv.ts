import { spreadsheetText } from "#server/kernel/spreadsheet-text.ts";

/** How null is written, without quotes; the text NULL is quoted. */
export const CSV_NULL = "NULL";

const SPECIAL = /[",\r\n]/;

/** One RFC 4180 record with its line break. */
export function csvRecord(cells: readonly (string | null)[]): string {
	let line = "";
	for (let i = 0; i < cells.length; i++) {
		const cell = cells[i];
		if (i > 0) line += ",";
		line += cell === null || cell === undefined ? CSV_NULL : csvCell(cell);
	}
	return `${line}\r\n`;
}

/** A value of a record; text that a spreadsheet would run as a formula is neutralized. */
export function csvCell(cell: string): string {
	const safe = spreadsheetText(cell);
	return safe === CSV_NULL || SPECIAL.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
