import { createHash } from "node:crypto";
import { createWriteStream, existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Readable } from "node:stream";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import postgres from "postgres";
import { SpillwayError } from "#server/kernel/errors.ts";
import { identifier, MANIFEST, type Manifest, tableFile } from "./manifest.ts";

const NEWLINE = 10;

/**
 * Writes every row of the database to `folder`, as of one moment, while programs keep running. The manifest is written
 * last, so that an interrupted backup cannot be restored by mistake.
 * @param folder absolute; must not contain a backup yet
 * @throws SpillwayError `conflict` when it does, or when the database has no schema
 */
export async function writeBackup(
	url: string,
	folder: string,
	{
		onTable = () => {},
		afterTables = () => {},
	}: {
		onTable?: (name: string, rows: number) => void;
		/** Copies what rows refer to and what may appear while the tables are written. */
		afterTables?: () => void;
	} = {},
): Promise<Manifest> {
	if (existsSync(path.join(folder, MANIFEST)))
		throw new SpillwayError("conflict", `${folder} already holds a backup.`, { fix: "Choose a new folder." });
	mkdirSync(path.join(folder, "tables"), { recursive: true, mode: 0o700 });
	const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { application_name: "spillway-backup" } });
	try {
		const manifest = await sql.begin("isolation level repeatable read read only", async (tx) => {
			const head = await readHead(tx);
			const tables: Manifest["tables"] = [];
			for (const { name, columns } of await readTables(tx)) {
				const list = columns.map(identifier).join(", ");
				const rows = await tx.unsafe(`copy (select ${list} from ${identifier(name)}) to stdout`).readable();
				const written = await writeTable(rows, tableFile(folder, name));
				onTable(name, written.rows);
				tables.push({ name, columns, ...written });
			}
			return { ...head, tables };
		});
		afterTables();
		const draft = path.join(folder, `${MANIFEST}.new`);
		writeFileSync(draft, `${JSON.stringify(manifest, null, "\t")}\n`, { mode: 0o600, flush: true });
		renameSync(draft, path.join(folder, MANIFEST));
		return manifest;
	} finally {
		await sql.end({ timeout: 5 });
	}
}

type Head = Omit<Manifest, "tables">;

async function readHead(tx: postgres.TransactionSql): Promise<Head> {
	const [journal] = await tx`select to_regclass('drizzle.__drizzle_migrations') as name`;
	if (journal?.["name"] == null)
		throw new SpillwayError("conflict", "The database has no Spillway schema.", { fix: "Check DATABASE_URL." });
	const migrations = await tx<{ hash: string }[]>`select hash from drizzle.__drizzle_migrations order by created_at`;
	const sequences = await tx<{ name: string; value: string }[]>`
		select sequencename as name, last_value::text as value from pg_sequences
		where schemaname = 'public' and last_value is not null order by 1`;
	const months = await tx<{ month: string }[]>`
		select replace(substr(c.relname, length('charge_') + 1), '_', '-') || '-01' as month
		from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'charge'::regclass order by 1`;
	const [server] = await tx<{ version: string }[]>`select current_setting('server_version') as version`;
	return {
		format: "spillway-backup-1",
		createdAt: new Date().toISOString(),
		postgres: server?.version ?? "unknown",
		migrations: migrations.map((row) => row.hash),
		chargeMonths: months.map((row) => row.month),
		sequences: [...sequences],
	};
}

/** Tables of the schema `public` without partitions, which are covered by their parent; columns without generated ones. */
function readTables(tx: postgres.TransactionSql): Promise<{ name: string; columns: string[] }[]> {
	return tx<{ name: string; columns: string[] }[]>`
		select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
		from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
		where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
		group by c.relname order by c.relname`;
}

/** COPY text has one line per row: line breaks within values are escaped. */
async function writeTable(from: Readable, file: string): Promise<{ rows: number; sha256: string }> {
	const hash = createHash("sha256");
	let rows = 0;
	const count = new Transform({
		transform(chunk: Buffer, _, done) {
			hash.update(chunk);
			for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) rows++;
			done(null, chunk);
		},
	});
	await pipeline(from, count, createGzip({ level: 6 }), createWriteStream(file, { mode: 0o600, flush: true }));
	// The client pauses its socket while the stream is full, and resumes it only here. If the last rows filled it, no response follows.
	from._read(0);
	return { rows, sha256: hash.digest("hex") };
}
