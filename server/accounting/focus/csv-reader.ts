import { CSV_NULL } from "./csv.ts";

/** Cells of a record: null where the file has NULL without quotes. */
export type CsvCells = (string | null)[];

/** A syntax error in the text; `row` counts records, the header is 1. */
export class CsvFault extends Error {
	readonly row: number;
	constructor(row: number, message: string) {
		super(`row ${row} ${message}`);
		this.row = row;
	}
}

const [QUOTE, COMMA, LINE_FEED, CARRIAGE_RETURN] = [34, 44, 10, 13];

/**
 * Reads RFC 4180 in chunks of text: values with commas, line breaks or quotes are quoted, quotes in them are doubled,
 * and records end with LF or CRLF. Empty lines and a byte order mark are skipped. Every record has as many values as
 * the first. A generic parser with dialects takes four times as long, which for millions of lines is most of an
 * import.
 * @param recordCharsMax a longer record is treated as an unclosed quote
 */
export class CsvReader {
	readonly #recordCharsMax: number;
	#text = "";
	/** Start of the next record, and the first quote from there on. */
	#at = 0;
	#quoteAt = -1;
	#row = 0;
	#width = 0;
	#final = false;

	constructor(recordCharsMax: number) {
		this.#recordCharsMax = recordCharsMax;
	}

	/**
	 * The records completed by this chunk. Chunks should be large: an unfinished record is read again from its start.
	 * @throws CsvFault
	 */
	read(piece: string): CsvCells[] {
		const begun = this.#text === "" && this.#row === 0 && piece.startsWith("\ufeff") ? piece.slice(1) : piece;
		this.#text = this.#text.slice(this.#at) + begun;
		this.#at = 0;
		this.#quoteAt = -1;
		const records: CsvCells[] = [];
		for (let record = this.#next(); record !== null; record = this.#next()) if (record.length > 0) records.push(this.#counted(record));
		if (this.#text.length - this.#at > this.#recordCharsMax)
			throw new CsvFault(this.#row + 1, `is longer than ${this.#recordCharsMax} characters: a quote may not be closed`);
		return records;
	}

	/**
	 * The last record, if the text does not end with a line break.
	 * @throws CsvFault
	 */
	end(): CsvCells[] {
		this.#final = true;
		return this.read("");
	}

	#counted(record: CsvCells): CsvCells {
		this.#row++;
		if (this.#width === 0) this.#width = record.length;
		if (record.length !== this.#width) throw new CsvFault(this.#row, `has ${record.length} values, and the head has ${this.#width}`);
		return record;
	}

	/** null: no further record, or not yet. Without cells: an empty line. */
	#next(): CsvCells | null {
		const text = this.#text;
		const at = this.#at;
		if (at >= text.length) return null;
		let end = text.indexOf("\n", at);
		if (end < 0) {
			if (!this.#final) return null;
			end = text.length;
		}
		if (this.#nextQuote(at) < end) return this.#quoted(at, end);
		this.#at = end + 1;
		const line = text.slice(at, end > at && text.charCodeAt(end - 1) === CARRIAGE_RETURN ? end - 1 : end);
		if (line === "") return [];
		const cells: CsvCells = line.split(",");
		if (line.includes(CSV_NULL)) for (let i = 0; i < cells.length; i++) if (cells[i] === CSV_NULL) cells[i] = null;
		return cells;
	}

	#nextQuote(from: number): number {
		if (this.#quoteAt < from) {
			const found = this.#text.indexOf('"', from);
			this.#quoteAt = found < 0 ? Number.POSITIVE_INFINITY : found;
		}
		return this.#quoteAt;
	}

	/** A record with at least one quoted value; its line may end after `lineEnd`. */
	#quoted(start: number, lineEnd: number): CsvCells | null {
		const text = this.#text;
		const cells: CsvCells = [];
		let end = lineEnd;
		for (let at = start; ; ) {
			let after: number;
			if (text.charCodeAt(at) === QUOTE) {
				const close = this.#closingQuote(at);
				if (close === null) return null;
				const value = text.slice(at + 1, close);
				cells.push(value.includes('"') ? value.replaceAll('""', '"') : value);
				after = close + 1;
				if (end < after) {
					end = text.indexOf("\n", after);
					if (end < 0 && !this.#final) return null;
					if (end < 0) end = text.length;
				}
			} else {
				const comma = text.indexOf(",", at);
				const stop = comma < 0 || comma > end ? end : comma;
				after = stop === end && stop > at && text.charCodeAt(stop - 1) === CARRIAGE_RETURN ? stop - 1 : stop;
				if (this.#nextQuote(at) < after) throw new CsvFault(this.#row + 1, "has a quote within a value that does not begin with one");
				const value = text.slice(at, after);
				cells.push(value === CSV_NULL ? null : value);
			}
			if (text.charCodeAt(after) === COMMA) {
				at = after + 1;
				continue;
			}
			if (text.charCodeAt(after) === CARRIAGE_RETURN && after + 1 === end) after++;
			if (after < text.length && text.charCodeAt(after) !== LINE_FEED)
				throw new CsvFault(this.#row + 1, "has something behind a closing quote that is neither a comma nor a line break");
			this.#at = after + 1;
			return cells;
		}
	}

	/** null: not yet. */
	#closingQuote(open: number): number | null {
		const text = this.#text;
		for (let at = open + 1; ; ) {
			const found = text.indexOf('"', at);
			if (found < 0) {
				if (this.#final) throw new CsvFault(this.#row + 1, "has a quote that is not closed");
				return null;
			}
			if (text.charCodeAt(found + 1) !== QUOTE) return found + 1 === text.length && !this.#final ? null : found;
			at = found + 2;
		}
	}
}
