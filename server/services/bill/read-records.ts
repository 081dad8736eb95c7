import { createHash, type Hash } from "node:crypto";
import { Readable, Transform, type TransformCallback } from "node:stream";
import { createGunzip } from "node:zlib";
import { CsvError, parse } from "csv-parse";
import { SpillwayError } from "#server/kernel/errors.ts";

/** A record larger than this is no bill's. */
const RECORD_BYTES_MAX = 1_048_576;

/**
 * The records of a CSV file, gzipped or not, as they come. `sha256` is of the unzipped bytes, so that a file is the same one
 * either way; it is read after the last record.
 * @throws SpillwayError `invalid_input` with the line where the file is broken.
 */
export function readRecords(bytes: AsyncIterable<Uint8Array>): { records: AsyncIterable<string[]>; sha256(): string } {
	const hash = createHash("sha256");
	return { records: recordsOf(bytes, hash), sha256: () => hash.digest("hex") };
}

async function* recordsOf(bytes: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<string[]> {
	const parser = parse({ bom: true, max_record_size: RECORD_BYTES_MAX, skip_empty_lines: true });
	const source = Readable.from(unzipped(bytes));
	const hashed = source.pipe(new Hashing(hash));
	for (const stream of [source, hashed]) stream.on("error", (error) => parser.destroy(error));
	hashed.pipe(parser);
	try {
		yield* parser as AsyncIterable<string[]>;
	} catch (error) {
		if (!(error instanceof CsvError)) throw error;
		throw new SpillwayError("invalid_input", `The file is not a CSV as FOCUS has it: ${error.message}.`, {
			fields: [{ path: "file", message: error.message, ...(typeof error["lines"] === "number" ? { line: error["lines"] } : {}) }],
			fix: "Send the file as the provider wrote it, as CSV or as gzip of it.",
			cause: error,
		});
	} finally {
		source.destroy();
		parser.destroy();
	}
}

class Hashing extends Transform {
	readonly #hash: Hash;
	constructor(hash: Hash) {
		super();
		this.#hash = hash;
	}
	override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
		this.#hash.update(chunk);
		if (chunk.includes(0))
			done(new SpillwayError("invalid_input", "The file holds a NUL byte, so it is no CSV.", { fix: "Send CSV, or gzip of it." }));
		else done(null, chunk);
	}
}

/** Known by gzip's first two bytes, whatever the file is called. */
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
		throw new SpillwayError("invalid_input", `The gzip file is broken: ${error.message}.`, {
			fix: "Fetch it from the provider again.",
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
