import { hash } from "node:crypto";
import { desc, eq, sql } from "drizzle-orm";
import { type BillHeader, readBillHeader } from "#server/accounting/focus/bill-header.ts";
import { lineTexts, readBillLine, type Values } from "#server/accounting/focus/bill-line.ts";
import type { CsvCells } from "#server/accounting/focus/csv-reader.ts";
import { divideRounded } from "#server/accounting/focus/decimal.ts";
import type { Tx } from "#server/db/client.ts";
import { bill } from "#server/db/schema/bill.ts";
import { defined } from "#server/kernel/assert.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { type InsertLines, lineInserter } from "./insert-lines.ts";
import { readRecords } from "./read-records.ts";
import { restateLines } from "./restate-lines.ts";
import type { ReadLine } from "./types.ts";
import { type BillView, toBillView } from "./view.ts";

/** Lines per INSERT. */
const BATCH_LINES = 2_000;
/** Key of the import lock. Files are imported one at a time, since two files with the same lines would wait for each other. */
const IMPORT_LOCK = "bill:import";

export interface ImportedBill {
	bill: BillView;
	/** Whether the same file was imported before; nothing was written. */
	alreadyImported: boolean;
}

/**
 * Imports a provider's FOCUS file (1.0 to 1.4, CSV or gzip), all of it or nothing. Memory does not grow with the file. A line equal to one
 * of an earlier bill (re-issued bills repeat old lines) is counted but not imported again. A line with other amounts restates the earlier
 * line (restate-lines.ts). The same file becomes a separate bill if it contains lines that another bill has restated since.
 * @throws SpillwayError `forbidden`; `invalid_input` with row and column of the first error.
 */
export async function importBill(
	ctx: ServiceContext,
	input: { fileName: string; bytes: AsyncIterable<Uint8Array> },
): Promise<ImportedBill> {
	authorize(ctx, "bill:import", null);
	try {
		const row = await ctx.db.transaction((tx) => writeBill(tx, ctx, input));
		return { bill: toBillView(row), alreadyImported: false };
	} catch (error) {
		if (!(error instanceof KnownFile)) throw error;
		const [row] = await ctx.db.select().from(bill).where(eq(bill.id, error.billId));
		return { bill: toBillView(defined(row, "bill")), alreadyImported: true };
	}
}

/** Thrown to end the transaction when the file turns out to be imported already. */
class KnownFile extends Error {
	readonly billId: string;
	constructor(billId: string) {
		super(`the file is bill ${billId}`);
		this.billId = billId;
	}
}

type BillRow = typeof bill.$inferSelect;

async function writeBill(tx: Tx, ctx: ServiceContext, input: { fileName: string; bytes: AsyncIterable<Uint8Array> }): Promise<BillRow> {
	const nowMs = ctx.clock.nowMs();
	const id = newId("bill", nowMs);
	const { records, sha256 } = readRecords(input.bytes);
	const iterator = records[Symbol.asyncIterator]();
	const { header, first } = await readHeader(iterator);
	await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${IMPORT_LOCK}, 0))`);
	const row = {
		...{ id, fileName: input.fileName.slice(0, 200), focusVersion: header.version, columns: [...header.columns] },
		...{ importedAt: new Date(nowMs), importedBy: actorName(ctx.actor) },
	};
	// Lines reference their bill, so insert it first and update the fields known only at the end of the file afterwards.
	await tx.insert(bill).values({ ...row, sha256: id, providers: [], months: [], rows: 0, repeatedRows: 0, billedMicroUsd: 0n });
	const insert = await lineInserter(tx, id);
	const read = await takeLines(insert, header, first, iterator);
	const sum = sha256();
	const [known] = await tx
		.select({ id: bill.id })
		.from(bill)
		.where(eq(bill.sha256, sum))
		.orderBy(desc(bill.importedAt), desc(bill.id))
		.limit(1);
	if (known && read.inserted === 0) throw new KnownFile(known.id);
	await restateLines(tx, id);
	const [written] = await tx
		.update(bill)
		.set({
			sha256: sum,
			providers: [...read.providers].sort(),
			months: [...read.months].sort(),
			rows: read.rows,
			repeatedRows: read.rows - read.inserted,
			billedMicroUsd: divideRounded(read.billedNanoUsd, 1_000n),
		})
		.where(eq(bill.id, id))
		.returning();
	const after = { fileName: row.fileName, sha256: sum, rows: read.rows, repeatedRows: read.rows - read.inserted };
	await writeAudit(tx, ctx, { action: "bill.import", subject: id, after });
	return defined(written, "bill");
}

async function readHeader(iterator: AsyncIterator<CsvCells[]>): Promise<{ header: BillHeader; first: CsvCells[] }> {
	for (;;) {
		const { value, done } = await iterator.next();
		if (done) throw new SpillwayError("invalid_input", "The file is empty.", { fix: "Upload a FOCUS file with a header." });
		const [head, ...first] = value as CsvCells[];
		if (head === undefined) continue;
		const header = readBillHeader(head.map((cell) => cell ?? ""));
		if ("message" in header) throw wrongAt(1, header.column, header.message);
		return { header, first };
	}
}

function wrongAt(row: number, column: string, message: string): SpillwayError {
	return new SpillwayError("invalid_input", `Row ${row}, column ${column}: ${message}. Nothing was imported.`, {
		fields: [{ path: column, message, line: row }],
		fix: "The header is row 1. Correct the file, or ask the provider for a correct one.",
	});
}

interface Read {
	rows: number;
	inserted: number;
	billedNanoUsd: bigint;
	providers: Set<string>;
	months: Set<string>;
}

/** Reads the next batch while one is being written. */
async function takeLines(insert: InsertLines, header: BillHeader, first: CsvCells[], rest: AsyncIterator<CsvCells[]>): Promise<Read> {
	const read: Read = { rows: 0, inserted: 0, billedNanoUsd: 0n, providers: new Set(), months: new Set() };
	let batch: ReadLine[] = [];
	let writing: Promise<number> = Promise.resolve(0);
	try {
		for (let records = first; ; ) {
			for (const values of records) batch.push(readLine(header, values, read));
			const { value, done } = await rest.next();
			records = done ? [] : value;
			if (batch.length < BATCH_LINES && !done) continue;
			read.inserted += await writing;
			const full = batch;
			batch = [];
			writing = insert(full);
			// Handled below; without this, an error in the file would be an unhandled rejection.
			writing.catch(() => {});
			if (done) break;
		}
		read.inserted += await writing;
		return read;
	} finally {
		await writing.catch(() => {});
		await rest.return?.();
	}
}

function readLine(header: BillHeader, values: Values, read: Read): ReadLine {
	// The header is row 1.
	const rowNumber = ++read.rows + 1;
	const line = readBillLine(header, values);
	if ("message" in line) throw wrongAt(rowNumber, line.column, line.message);
	read.billedNanoUsd += line.billedNanoUsd;
	read.providers.add(line.providerName);
	read.months.add(line.month);
	const texts = lineTexts(header, values);
	const aboutHash = hash("sha256", texts.about, "buffer").readBigInt64BE();
	return { ...line, rowNumber, values, hash: hash("sha256", texts.compared), aboutHash };
}
