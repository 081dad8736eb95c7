import { parse } from "csv-parse/sync";

/** A CSV file imported by a person: its columns, and its non-blank lines. */
export interface CsvTable {
	/** As in the header, trimmed. */
	names: string[];
	/** `at` is the line in the file, such as `line 2`. Cells are trimmed. */
	lines: { at: string; cells: string[] }[];
}

/**
 * Reads CSV strictly, so that no value is taken from the wrong column: column names must be unique, and each line must have as many values
 * as the header. A line with a decimal comma has more. Empty columns at the end are ignored, as the ECB's files have one.
 * @param unusable creates the error from the problem and its fix
 */
export function readCsvTable(text: string, unusable: (what: string, fix: string) => Error): CsvTable {
	const records = recordsOf(text, unusable);
	const head = records.findIndex((record) => !isBlank(record));
	const names = (records[head] ?? []).map((name) => name.trim());
	const lower = names.map((name) => name.toLowerCase());
	const twice = lower.find((name, index) => name !== "" && lower.indexOf(name) !== index);
	if (twice !== undefined) throw unusable(`its header names ${twice.slice(0, 40)} twice`, "Delete the column that does not apply.");
	const width = names.findLastIndex((name) => name !== "") + 1;
	const lines: CsvTable["lines"] = [];
	for (const [index, record] of records.entries()) {
		if (index <= head || isBlank(record)) continue;
		const line = { at: `line ${index + 1}`, cells: record.map((cell) => cell.trim()) };
		if (line.cells.length < width)
			throw unusable(`${line.at} has fewer values than the header has columns`, "Complete or delete the line.");
		if (line.cells.slice(width).some((cell) => cell !== ""))
			throw unusable(`${line.at} has more values than the header has columns`, "Write numbers with a decimal point, for example 0.9239.");
		lines.push(line);
	}
	return { names, lines };
}

function recordsOf(text: string, unusable: (what: string, fix: string) => Error): string[][] {
	try {
		// Blank lines are kept to preserve line numbers.
		return parse(text, { bom: true, relax_column_count: true });
	} catch (cause) {
		throw unusable(cause instanceof Error ? cause.message : "it is not CSV", "Write it as CSV with a header line.");
	}
}

const isBlank = (record: readonly string[]): boolean => record.length <= 1 && (record[0] ?? "").trim() === "";
