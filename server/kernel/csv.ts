/** First characters of a formula, and those that spreadsheets skip or treat like them: tab, line breaks, and the wide forms. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?%?$/i;
const SPECIAL = /[",\r\n]/;

/** A field of a CSV file (RFC 4180). Text that a spreadsheet would run as a formula gets an apostrophe in front; numbers are unchanged. */
export function csvField(text: string): string {
	const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
	return SPECIAL.test(safe) ? csvQuoted(safe) : safe;
}

export function csvQuoted(text: string): string {
	return `"${text.replaceAll('"', '""')}"`;
}

/** Rows as a CSV file. The first row is the header. */
export function csvText(rows: readonly (readonly string[])[]): string {
	return rows.map((row) => `${row.map(csvField).join(",")}\r\n`).join("");
}
