import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { expect, it } from "vitest";
import { readRecords } from "./read-records.ts";

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
	for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const cell = fc.oneof(
	fc.constantFrom("", "a", '"', '""', ",", "\n", "\r\n", "é€😀", '{"k": "v, w"}'),
	fc.string({ maxLength: 8, unit: "grapheme" }),
);
const table = fc
	.integer({ min: 2, max: 5 })
	.chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 }));

it("reads the same records as a generic parser, with LF or CRLF, with or without a final line break, in pieces that split characters", async () => {
	const run = fc.asyncProperty(
		table,
		fc.constantFrom("\n", "\r\n"),
		fc.boolean(),
		fc.integer({ min: 1, max: 40 }),
		async (rows, line, last, size) => {
			fc.pre(!rows.some((row) => row.some((c) => c.includes("\0") || c === "NULL")));
			const text = rows.map((row) => row.map((c) => `"${c.replaceAll('"', '""')}"`).join(",")).join(line) + (last ? line : "");
			const records = await Array.fromAsync(readRecords(inPieces(Buffer.from(text), size)).records);
			expect(records.flat()).toEqual(parse(text, { record_delimiter: line }));
		},
	);
	await fc.assert(run);
});
