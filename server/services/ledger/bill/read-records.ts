import { createHash, type Hash } from "node:crypto";
import { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { createGunzip } from "node:zlib";
import { type CsvCells, CsvFault, CsvReader } from "#server/accounting/focus/csv-reader.ts";
import { SpillwayError } from "#server/kernel/errors.ts";

/** A record larger than this cannot come from a bill. */
const RECORD_CHARS_MAX = 1_048_576;
/** Size of one read in bytes: networks deliver a few bytes at a time, and an incomplete record is parsed again. */
const PIECE_BYTES = 131_072;

/**
 * The records of a CSV file, gzipped or not, in batches of a few hundred. `sha256` is of the unzipped bytes, so that compression does not
 * change it; read it after the last record.
 * @throws SpillwayError `invalid_input` with the row where the file is broken.
 */
export function readRecords(bytes: AsyncIterable<Uint8Array>): { records: AsyncIterable<CsvCells[]>; sha256(): string } {
	const hash = createHash("sha256");
	return { records: recordsOf(bytes, hash), sha256: () => hash.digest("hex") };
}

async function* recordsOf(bytes: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<CsvCells[]> {
	const reader = new CsvReader(RECORD_CHARS_MAX);
	const decoder = new StringDecoder("utf8");
	for await (const piece of inPieces(unzipped(bytes))) {
		hash.update(piece);
		if (piece.includes(0))
			throw new SpillwayError("invalid_input", "The file contains a NUL byte, so it is not CSV.", { fix: "Upload CSV, or gzipped CSV." });
		yield withLineErrors(() => reader.read(decoder.write(piece)));
	}
	yield withLineErrors(() => [...reader.read(decoder.end()), ...reader.end()]);
}

function withLineErrors(read: () => CsvCells[]): CsvCells[] {
	try {
		return read();
	} catch (error) {
		if (!(error instanceof CsvFault)) throw error;
		throw new SpillwayError("invalid_input", `The file is not valid FOCUS CSV: ${error.message}. Nothing was imported.`, {
			fields: [{ path: "file", message: error.message, line: error.row }],
			fix: "Upload the provider's file unchanged, as CSV or gzipped CSV. The header is row 1.",
			cause: error,
		});
	}
}

async function* inPieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
	let [parts, size]: [Uint8Array[], number] = [[], 0];
	for await (const part of bytes) {
		parts.push(part);
		size += part.length;
		if (size < PIECE_BYTES) continue;
		yield Buffer.concat(parts);
		[parts, size] = [[], 0];
	}
	if (size > 0) yield Buffer.concat(parts);
}

/** Detected by gzip's first two bytes, whatever the file name. */
async function* unzipped(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	const iterator = bytes[Symbol.asyncIterator]();
	const rest = { [Symbol.asyncIterator]: () => iterator };
	let head = Buffer.alloc(0);
	while (head.length < 2) {
		const { value, done } = await iterator.next();
		if (done) break;
		head = Buffer.concat([head, value]);
	}
	const whole = startingWith(head, rest);
	if (head[0] !== 0x1f || head[1] !== 0x8b) {
		yield* whole;
		return;
	}
	const zipped = Readable.from(whole);
	const gunzip = zipped.pipe(createGunzip());
	zipped.on("error", (error) => gunzip.destroy(error));
	try {
		yield* gunzip as AsyncIterable<Buffer>;
	} catch (error) {
		if (!(error instanceof Error) || !("code" in error) || !String(error.code).startsWith("Z_")) throw error;
		throw new SpillwayError("invalid_input", `The gzip file is corrupt: ${error.message}.`, {
			fix: "Download it from the provider again.",
			cause: error,
		});
	} finally {
		zipped.destroy();
		gunzip.destroy();
	}
}

async function* startingWith(head: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	if (head.length > 0) yield head;
	yield* rest;
}
