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

export function csvCell(cell: string): string {
	return cell === CSV_NULL || SPECIAL.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
