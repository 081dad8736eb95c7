import { spreadsheetText } from "#server/kernel/spreadsheet-text.ts";

/** How a null is written, without quotes; the text NULL is written with them. */
export const CSV_NULL = "NULL";

const SPECIAL = /[",\r\n]/;

/** One record of RFC 4180 with its line break. */
export function csvRecord(cells: readonly (string | null)[]): string {
	let line = "";
	for (let i = 0; i < cells.length; i++) {
		const cell = cells[i];
		if (i > 0) line += ",";
		line += cell === null || cell === undefined ? CSV_NULL : csvCell(cell);
	}
	return `${line}\r\n`;
}

/** A value of a record; text that a spreadsheet would run as a formula is disarmed. */
export function csvCell(cell: string): string {
	const safe = spreadsheetText(cell);
	return safe === CSV_NULL || SPECIAL.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
