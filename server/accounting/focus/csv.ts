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

const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** Prefixes an apostrophe to text that a spreadsheet would run as a formula. Numbers are unchanged. */
export function csvCell(cell: string): string {
	const safe = FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
	return safe === CSV_NULL || SPECIAL.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
