import { SpillwayError } from "#server/kernel/errors.ts";

/** Bounds on what is read; beyond them a file is refused with the figure. */
export const TRACE_LIMITS = {
	/** Of the text, after unpacking: what fits one string of the engine. */
	bytes: 500 * 1024 * 1024,
	rows: 5_000_000,
	/** GPUs of one job. */
	gpus: 1_000_000,
	/** Of a time or a length, seconds: a hundred years. */
	seconds: 100 * 365 * 86_400,
	/** Bad rows reported individually; the rest are counted. */
	reportedRows: 5,
	/** Of one field, characters. */
	field: 4096,
} as const;

/** Jobs from a file without groups are one team. */
export const UNKNOWN_TEAM = "unknown";

/** What is wrong with one row: thrown by the parsers of rows, and turned into a reported or a skipped row by RowProblems. */
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

	/** @throws SpillwayError `invalid_input` with the first bad rows, unless they must be skipped. */
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

/** @throws BadRow naming the column, what is there and what may. */
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

/** Calls `row` with every line but empty ones; lines are numbered from 1 and lose a `\r` at their end. */
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

/** A field without the blanks around it; "" where the column is not there (−1). */
export function fieldAt(fields: readonly string[], column: number): string {
	return column < 0 ? "" : (fields[column]?.trim() ?? "");
}

/** Fields of a CSV line by RFC 4180; a quoted one may not hold a line break, since no column of a trace does. */
export function splitCsv(line: string): string[] {
	if (!line.includes('"')) return line.split(",");
	const fields: string[] = [];
	let at = 0;
	for (;;) {
		let field: string;
		[field, at] = line.charCodeAt(at) === 34 ? quoted(line, at) : plain(line, at);
		fields.push(field);
		if (at >= line.length) return fields;
		// The character at `at` is the comma; behind a last one stands one more, empty field.
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
