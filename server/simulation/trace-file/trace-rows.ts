import { SpillwayError } from "#server/kernel/errors.ts";

/** Input limits; a file beyond them is rejected with the limit. */
export const TRACE_LIMITS = {
	/** Size of the text after decompression: the engine's longest string. */
	bytes: 500 * 1024 * 1024,
	rows: 5_000_000,
	/** GPUs of one job. */
	gpus: 1_000_000,
	/** Largest time or duration, seconds: a hundred years. */
	seconds: 100 * 365 * 86_400,
	/** Bad rows reported individually; the rest are counted. */
	reportedRows: 5,
	/** Characters of one field. */
	field: 4096,
} as const;

/** Jobs from a file without groups form one team. */
export const UNKNOWN_TEAM = "unknown";

/** An error in one row: thrown by row parsers and turned into a reported or skipped row by RowProblems. */
export class BadRow extends Error {
	override name = "BadRow";
	readonly column: string;
	readonly fix: string;
	constructor(column: string, message: string, fix: string) {
		super(message);
		this.column = column;
		this.fix = fix;
	}
}

/** Bad rows of one file: counted when lenient, otherwise collected and thrown together. */
export class RowProblems {
	readonly #file: string;
	readonly #lenient: boolean;
	readonly #told: { line: number; problem: BadRow }[] = [];
	count = 0;
	constructor(file: string, lenient: boolean) {
		this.#file = file;
		this.#lenient = lenient;
	}

	add(line: number, problem: BadRow): void {
		this.count++;
		if (this.#told.length < TRACE_LIMITS.reportedRows) this.#told.push({ line, problem });
	}

	/** @throws SpillwayError `invalid_input` with the first bad rows, unless lenient. */
	throwIfAny(): void {
		const [first] = this.#told;
		if (!first || this.#lenient) return;
		const more = this.count > 1 ? ` (${this.count} rows are wrong)` : "";
		throw new SpillwayError("invalid_input", `${this.#file}, line ${first.line}: ${first.problem.message}${more}`, {
			fix: `${first.problem.fix} Or give --lenient to leave such rows out.`,
			fields: this.#told.map(({ line, problem }) => ({ path: problem.column, line, message: problem.message })),
		});
	}
}

/** A number of seconds or GPUs: decimal digits, no sign. */
const NUMBER = /^\d{1,15}(\.\d{1,15})?$/;

/** @throws BadRow naming the column, its value and the allowed range. */
export function numberIn(column: string, text: string, unit: string, atMost: number): number {
	if (NUMBER.test(text)) {
		const value = Number(text);
		if (value <= atMost) return value;
		throw new BadRow(column, `${column} is ${shorten(text)}, more than ${atMost} ${unit}.`, `Write ${unit}.`);
	}
	if (text === "") throw new BadRow(column, `${column} is empty.`, `Write a number of ${unit}.`);
	if (/^-\d/.test(text))
		throw new BadRow(column, `${column} is ${shorten(text)}; it cannot be below 0.`, `Write a number of ${unit} from 0 on.`);
	throw new BadRow(
		column,
		`${column} is "${shorten(text)}", which is no number.`,
		`Write a number of ${unit} from 0 on, with digits alone.`,
	);
}

export function shorten(text: string): string {
	return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** Calls `row` for every non-empty line. Lines are numbered from 1 and lose a trailing `\r`. */
export function eachLine(text: string, from: { offset: number; line: number }, row: (line: string, number: number) => void): void {
	let { offset, line } = from;
	while (offset < text.length) {
		const end = text.indexOf("\n", offset);
		const stop = end < 0 ? text.length : end;
		const cut = stop > offset && text.charCodeAt(stop - 1) === 13 ? stop - 1 : stop;
		if (cut > offset) row(text.slice(offset, cut), line);
		offset = stop + 1;
		line++;
	}
}

/** Trimmed field; "" if the column is missing (−1). */
export function fieldAt(fields: readonly string[], column: number): string {
	return column < 0 ? "" : (fields[column]?.trim() ?? "");
}

/** Fields of a CSV line by RFC 4180. A quoted field may not contain a line break, because no trace column does. */
export function splitCsv(line: string): string[] {
	if (!line.includes('"')) return line.split(",");
	const fields: string[] = [];
	let at = 0;
	for (;;) {
		let field: string;
		[field, at] = line.charCodeAt(at) === 34 ? quoted(line, at) : plain(line, at);
		fields.push(field);
		if (at >= line.length) return fields;
		// The character at `at` is a comma; a final comma is followed by an empty field.
		at++;
		if (at === line.length) return [...fields, ""];
	}
}

function plain(line: string, from: number): [string, number] {
	const comma = line.indexOf(",", from);
	const end = comma < 0 ? line.length : comma;
	const field = line.slice(from, end);
	if (field.includes('"')) throw new BadRow("row", `A quote stands inside the field ${shorten(field)}.`, "Put the whole field in quotes.");
	return [field, end];
}

function quoted(line: string, from: number): [string, number] {
	let field = "";
	let at = from + 1;
	for (;;) {
		const quote = line.indexOf('"', at);
		if (quote < 0) throw new BadRow("row", "A quoted field does not end in its line.", 'Close it with ".');
		field += line.slice(at, quote);
		if (line.charCodeAt(quote + 1) !== 34) {
			const next = quote + 1;
			if (next < line.length && line.charCodeAt(next) !== 44)
				throw new BadRow("row", "Text is behind a quoted field.", "Put a comma behind the closing quote.");
			return [field, next];
		}
		field += '"';
		at = quote + 2;
	}
}
