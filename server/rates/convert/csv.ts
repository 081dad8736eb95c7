/** One record of a csv file by column name; a column that the file lacks reads as "". */
export type CsvRow = Readonly<Record<string, string>>;

/** Splits one line of RFC 4180 csv (quotes doubled inside quoted fields; no line breaks inside fields). */
function splitLine(line: string): string[] {
	const fields: string[] = [];
	for (const match of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)) {
		fields.push(match[1] === undefined ? (match[2] ?? "") : match[1].replaceAll('""', '"'));
	}
	return fields;
}

/**
 * Parses a csv text with a header line.
 * @throws Error when a record has a different number of fields than the header
 */
export function parseCsv(text: string): CsvRow[] {
	const lines = text.split(/\r?\n/).filter((line) => line !== "");
	const header = splitLine(lines[0] ?? "");
	return lines.slice(1).map((line, index) => {
		const fields = splitLine(line);
		if (fields.length !== header.length) {
			throw new Error(`csv record ${index + 2} has ${fields.length} fields, the header ${header.length}: ${line}`);
		}
		return Object.fromEntries(header.map((column, i) => [column, fields[i] ?? ""]));
	});
}

/**
 * The value of a column.
 * @throws Error when it is empty
 */
export function required(row: CsvRow, column: string): string {
	const value = row[column] ?? "";
	if (value === "") throw new Error(`column ${column} is empty in ${JSON.stringify(row)}`);
	return value;
}

/**
 * The value of a column as a number, null when empty.
 * @throws Error when it is not a number
 */
export function optionalNumber(row: CsvRow, column: string): number | null {
	const value = row[column] ?? "";
	if (value === "") return null;
	const number = Number(value);
	if (!Number.isFinite(number)) throw new Error(`column ${column} is not a number in ${JSON.stringify(row)}`);
	return number;
}

export function requiredNumber(row: CsvRow, column: string): number {
	const number = optionalNumber(row, column);
	if (number === null) throw new Error(`column ${column} is empty in ${JSON.stringify(row)}`);
	return number;
}
