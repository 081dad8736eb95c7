import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator";
import postgres from "postgres";
import { SpillwayError } from "#server/kernel/errors.ts";
import { createIfMissing, MIGRATIONS, migrate } from "../migrate.ts";
import { identifier, type Manifest, readManifest, tableFile } from "./manifest.ts";

const WATCH_MS = 500;

/**
 * Replaces the whole database with the backup, in one transaction: it succeeds completely or changes nothing. A backup of an
 * older release is restored on its own schema and then migrated. The setting `restored` records it, which keeps schedulers
 * from launching and terminating until a person has reviewed the clouds.
 * @throws SpillwayError `conflict` when programs are connected, when the database has rows and `replace` is false, or when the
 *   backup is damaged or was made by a newer release
 */
export async function restoreBackup(
	url: string,
	folder: string,
	options: { replace: boolean; onTable?: (name: string, rows: number) => void },
): Promise<Manifest> {
	const manifest = readManifest(folder);
	const migrations = migrationsOf(manifest);
	await createIfMissing(url);
	const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { application_name: "spillway-restore" } });
	const watch = postgres(url, { max: 1, connection: { application_name: "restore-watch" } });
	try {
		await requireNoConnections(sql);
		if (!options.replace) await requireEmpty(sql);
		await sql.begin(async (tx) => {
			await buildSchema(tx, migrations);
			for (const month of manifest.chargeMonths) await tx`select spillway_charge_month(${`${month}T00:00:00Z`}::timestamptz)`;
			const guards = await liftGuards(tx);
			for (const table of manifest.tables) {
				await loadTable(tx, watch, folder, table);
				options.onTable?.(table.name, table.rows);
			}
			await setGuards(tx, guards);
			for (const { name, value } of manifest.sequences) await tx`select setval(${name}::regclass, ${value}::bigint)`;
			await markRestored(tx, manifest.createdAt);
		});
	} finally {
		await Promise.all([sql.end({ timeout: 1 }), watch.end({ timeout: 1 })]);
	}
	await migrate(url);
	return manifest;
}

function migrationsOf(manifest: Manifest): MigrationMeta[] {
	const known = new Map(readMigrationFiles(MIGRATIONS).map((migration) => [migration.hash, migration]));
	return manifest.migrations.map((hash) => {
		const migration = known.get(hash);
		if (migration) return migration;
		throw new SpillwayError("conflict", "The backup was made by a newer release: this one does not have all of its migrations.", {
			fix: "Install the release that made the backup, or a newer one.",
		});
	});
}

async function requireNoConnections(sql: postgres.Sql): Promise<void> {
	const rows = await sql<{ name: string; count: number }[]>`
		select application_name as name, count(*)::int as count from pg_stat_activity
		where datname = current_database() and pid <> pg_backend_pid() and application_name ~ '^spillway' group by 1`;
	if (rows.length === 0) return;
	throw new SpillwayError("conflict", `Programs use this database: ${rows.map((row) => row.name).join(", ")}.`, {
		fix: "Stop every web server and scheduler first. A pooler keeps connections of stopped programs: close them there (pgbouncer: KILL).",
	});
}

async function requireEmpty(sql: postgres.Sql): Promise<void> {
	const [journal] = await sql`select to_regclass('drizzle.__drizzle_migrations') as name`;
	if (journal?.["name"] == null) return;
	const [found] = await sql`select exists (select 1 from job) or exists (select 1 from audit) or exists (select 1 from account) as used`;
	if (found?.["used"] !== true) return;
	throw new SpillwayError("conflict", "The database is not empty.", {
		fix: "Back it up, then restore with --replace, which deletes everything in it.",
	});
}

async function buildSchema(tx: postgres.TransactionSql, migrations: readonly MigrationMeta[]): Promise<void> {
	await tx.unsafe(
		"drop schema if exists drizzle cascade; drop schema if exists public cascade; create schema public; create schema drizzle",
	);
	await tx.unsafe("create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)");
	for (const { sql, hash, folderMillis } of migrations) {
		for (const statement of sql) await tx.unsafe(statement);
		await tx`insert into drizzle.__drizzle_migrations (hash, created_at) values (${hash}, ${folderMillis})`;
	}
}

interface Guards {
	tables: string[];
	foreignKeys: { table: string; name: string; definition: string }[];
}

/**
 * Disable triggers, which already ran for these rows, and allow tables to load in any order. Rows inserted by
 * migrations are removed.
 */
async function liftGuards(tx: postgres.TransactionSql): Promise<Guards> {
	const tables = await tx<{ name: string }[]>`
		select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`;
	const foreignKeys = await tx<Guards["foreignKeys"]>`
		select c.relname as table, k.conname as name, pg_get_constraintdef(k.oid) as definition
		from pg_constraint k join pg_class c on c.oid = k.conrelid
		where k.contype = 'f' and k.conparentid = 0 and c.relnamespace = 'public'::regnamespace order by 1, 2`;
	const names = tables.map((row) => row.name);
	for (const name of names) await tx.unsafe(`alter table ${identifier(name)} disable trigger user`);
	for (const { table, name } of foreignKeys) await tx.unsafe(`alter table ${identifier(table)} drop constraint ${identifier(name)}`);
	await tx.unsafe(`truncate ${names.map(identifier).join(", ")}`);
	return { tables: names, foreignKeys: [...foreignKeys] };
}

/** Adding a foreign key checks every row. */
async function setGuards(tx: postgres.TransactionSql, { tables, foreignKeys }: Guards): Promise<void> {
	for (const { table, name, definition } of foreignKeys)
		await tx.unsafe(`alter table ${identifier(table)} add constraint ${identifier(name)} ${definition}`);
	for (const name of tables) await tx.unsafe(`alter table ${identifier(name)} enable trigger user`);
}

async function loadTable(
	tx: postgres.TransactionSql,
	watch: postgres.Sql,
	folder: string,
	table: Manifest["tables"][number],
): Promise<void> {
	const hash = createHash("sha256");
	const check = new Transform({
		transform(chunk: Buffer, _, done) {
			hash.update(chunk);
			done(null, chunk);
		},
	});
	const [own] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
	const into = await tx.unsafe(`copy ${identifier(table.name)} (${table.columns.map(identifier).join(", ")}) from stdin`).writable();
	const loaded = pipeline(createReadStream(tableFile(folder, table.name)), createGunzip(), check, into);
	await Promise.race([loaded, failureOf(watch, own?.pid ?? 0, table.name, loaded)]);
	if (hash.digest("hex") !== table.sha256) throw damaged(table.name);
}

/**
 * The client does not report an error that PostgreSQL sends after the last row of a COPY, so another connection checks
 * for it.
 */
async function failureOf(watch: postgres.Sql, pid: number, table: string, loaded: Promise<void>): Promise<void> {
	const isLoaded = loaded.then(() => true);
	isLoaded.catch(() => {});
	while (!(await Promise.race([isLoaded, sleep(WATCH_MS, false)]))) {
		const [backend] = await watch<{ state: string | null }[]>`select state from pg_stat_activity where pid = ${pid}`;
		if (backend === undefined || backend.state === "idle in transaction (aborted)") throw damaged(table);
	}
}

function damaged(table: string): SpillwayError {
	return new SpillwayError("conflict", `The backup is damaged: the rows of ${table} cannot be loaded. Nothing was changed.`, {
		fix: "Use another backup.",
	});
}

async function markRestored(tx: postgres.TransactionSql, backupAt: string): Promise<void> {
	const value = JSON.stringify({ backupAt, restoredAt: new Date().toISOString() });
	await tx`insert into setting (key, value) values ('restored', ${value}::text::jsonb)
		on conflict (key) do update set value = excluded.value`;
}
