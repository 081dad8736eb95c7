import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvRecord } from "./csv.ts";
import { type CsvCells, CsvReader } from "./csv-reader.ts";

function read(text: string, pieceLength = text.length || 1): CsvCells[] {
	const reader = new CsvReader(1_000);
	const records: CsvCells[] = [];
	for (let at = 0; at < text.length; at += pieceLength) records.push(...reader.read(text.slice(at, at + pieceLength)));
	return [...records, ...reader.end()];
}

/** Cells that spreadsheets would execute are written with a guard, so they do not round-trip. */
const FORMULA = /^[=+\-@\t\r\n]/;
const cell = fc
	.oneof(fc.constantFrom("", "a", "NULL", '"', '""', ",", "\n", "\r\n", "\r", "é€😀", "{}", '{"k": "v, w"}'), fc.string({ maxLength: 8 }))
	.filter((text) => !FORMULA.test(text));
const table = fc
	.integer({ min: 2, max: 5 })
	.chain((width) =>
		fc.array(fc.array(fc.oneof(cell, fc.constant(null)), { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 }),
	);

describe("records", () => {
	it("round-trip, with NULL distinct from the text NULL, in pieces of any length", () => {
		fc.assert(
			fc.property(table, fc.integer({ min: 1, max: 40 }), (rows, pieceLength) => {
				expect(read(rows.map(csvRecord).join(""), pieceLength)).toEqual(rows);
			}),
		);
	});

	it("start after a byte order mark, and empty lines are skipped", () => {
		expect(read("\ufeffa,b\r\n\r\n1,NULL\r\n\n,\n")).toEqual([
			["a", "b"],
			["1", null],
			["", ""],
		]);
	});
});

describe("CSV faults report their row", () => {
	it.each([
		["a,b\n1,2\n3\n", "row 3 has 1 values, and the head has 2"],
		['a,b\n1,"2\n', "row 2 has a quote that is not closed"],
		['a,b\n1,x"y"\n', "row 2 has a quote within a value that does not begin with one"],
		['a,b\n"1"2,3\n', "row 2 has something behind a closing quote that is neither a comma nor a line break"],
		[`a,b\n"${"x".repeat(1_200)}`, "row 2 is longer than 1000 characters: a quote may not be closed"],
	])("%j: %s", (text, message) => {
		expect(() => read(text)).toThrow(message);
	});
});
