import { csvField, csvQuoted } from "#server/kernel/csv.ts";

/** How null is written, without quotes; the text NULL is quoted. */
export const CSV_NULL = "NULL";

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

/** A value of a record, safe for spreadsheets. */
export function csvCell(cell: string): string {
	return cell === CSV_NULL ? csvQuoted(cell) : csvField(cell);
}
