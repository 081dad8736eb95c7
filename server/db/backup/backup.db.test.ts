import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, inject, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../testing/database.ts";
import { createDatabaseOn } from "../testing/throwaway.ts";
import { MANIFEST, tableFile } from "./manifest.ts";
import { restoreBackup } from "./restore-backup.ts";
import { writeBackup } from "./write-backup.ts";

const opened: TestDatabase[] = [];
const folders: string[] = [];
afterEach(async () => {
	for (const database of opened.splice(0)) await database.drop();
	for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const newFolder = (): string => {
	const folder = mkdtempSync(path.join(os.tmpdir(), "spillway-backup-test-"));
	folders.push(folder);
	return folder;
};

/** With rows of many kinds: text that COPY escapes, JSON, a partition, foreign keys, sequences and a trigger's own rows. */
async function filled(): Promise<TestDatabase> {
	const database = await createTestDatabase();
	opened.push(database);
	const { sql } = database;
	await sql`insert into team (name) values ('research')`;
	await sql`insert into account (id, email, name, role, created_at) values ('usr_1', 'a@example.com', ${"tab\tline\nback\\slash ünï"}, 'platform', now())`;
	await sql`insert into api_token (id, account_id, name, hash, created_at) values ('tok_1', 'usr_1', 'CI', 'hash', now())`;
	await sql`insert into audit (at, actor, action, subject) values (now(), '{"kind": "system", "part": "seed"}', 'x', ${"{\\N}"})`;
	await sql`insert into site (id, name, provider, settings) values ('local', 'This host', 'local', '{"gridZone": "DE", "text": "a\\nb"}')`;
	await sql`select spillway_charge_month('2026-02-01Z'::timestamptz)`;
	return database;
}

/** Every row of every table, as text in order. */
async function rowsOf({ sql }: TestDatabase): Promise<Record<string, string[]>> {
	const tables = await sql<{ name: string }[]>`
		select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> 'setting'`;
	const rows: Record<string, string[]> = {};
	for (const { name } of tables) {
		const found = await sql.unsafe<{ row: string }[]>(`select t::text as row from "${name}" t order by 1`);
		rows[name] = found.map(({ row }) => row);
	}
	return rows;
}

/** A restore rejects a database in use, and the test's own connections count. */
async function detached<T>(database: TestDatabase, work: () => Promise<T>): Promise<T> {
	await database.sql`select set_config('application_name', 'test', false),
		(select count(pg_terminate_backend(pid, 5000)) from pg_stat_activity
			where datname = current_database() and pid <> pg_backend_pid() and application_name ~ '^spillway')`;
	return work();
}

describe("a backup", () => {
	it("restores the same rows after the database changed", async () => {
		const database = await filled();
		const folder = newFolder();
		const before = await rowsOf(database);
		const manifest = await writeBackup(database.url, folder);
		expect(manifest.tables.find((table) => table.name === "team")?.rows).toBe(1);
		await database.sql`insert into team (name) values ('later')`;
		await database.sql`update account set name = 'changed'`;
		await database.sql`delete from api_token`;
		await detached(database, () => restoreBackup(database.url, folder, { replace: true }));
		expect(await rowsOf(database)).toEqual(before);
	});

	it("continues after tables with last rows that fill the stream", async () => {
		const database = await filled();
		for (const rows of [1, 2, 3, 5, 8, 60]) {
			await database.sql`insert into account (id, email, name, role, created_at)
				select ${`usr_${rows}_`} || n, ${`${rows}-`} || n || '@example.com', (select string_agg(md5(n || '-' || i), '') from generate_series(1, 2000) i), 'platform', now()
				from generate_series(1, ${rows}::int) n`;
			const { tables } = await writeBackup(database.url, newFolder());
			expect(tables.map(({ name }) => name)).toContain("account");
		}
	});

	it("restores working triggers, foreign keys and sequences", async () => {
		const database = await filled();
		const folder = newFolder();
		await writeBackup(database.url, folder);
		await detached(database, () => restoreBackup(database.url, folder, { replace: true }));
		const { sql } = database;
		await expect(sql`delete from audit`).rejects.toThrow(/insert-only/);
		await expect(sql`truncate charge_2026_02`).rejects.toThrow(/insert-only/);
		await expect(
			sql`insert into api_token (id, account_id, name, hash, created_at) values ('tok_2', 'missing', 'x', 'y', now())`,
		).rejects.toThrow(/foreign key/);
		const [last] = await sql<{ id: string }[]>`select max(id)::text as id from audit`;
		await sql`insert into audit (at, actor, action, subject) values (now(), '{"kind": "system", "part": "seed"}', 'x', '{}')`;
		const [next] = await sql<{ id: string }[]>`select max(id)::text as id from audit`;
		expect(Number(next?.id)).toBe(Number(last?.id) + 1);
	});

	it("restores into a database that does not exist yet, and marks it as restored", async () => {
		const database = await filled();
		const folder = newFolder();
		const manifest = await writeBackup(database.url, folder);
		const target = await createDatabaseOn(inject("postgresUrl"));
		opened.push(target);
		const [{ name } = { name: "" }] = await target.sql<{ name: string }[]>`select current_database() as name`;
		await database.sql.unsafe(`drop database ${name} with (force)`);
		await restoreBackup(target.url, folder, { replace: false });
		expect(await rowsOf(target)).toEqual(await rowsOf(database));
		const [mark] = await target.sql<{ value: { backupAt: string } }[]>`select value from setting where key = 'restored'`;
		expect(mark?.value.backupAt).toBe(manifest.createdAt);
	});

	it("of an older release is migrated after its rows are loaded", async () => {
		const database = await filled();
		const folder = newFolder();
		const manifest = await writeBackup(database.url, folder);
		const older = newFolder();
		cpSync(folder, older, { recursive: true });
		const [baseline = ""] = manifest.migrations;
		const kept = { ...manifest, migrations: [baseline], tables: manifest.tables.filter((table) => table.name === "team") };
		const columns = ["name"];
		const only = "research\n";
		writeFileSync(tableFile(older, "team"), gzipSync(only));
		const sha256 = createHash("sha256").update(only).digest("hex");
		writeFileSync(
			path.join(older, MANIFEST),
			JSON.stringify({ ...kept, sequences: [], tables: kept.tables.map((table) => ({ ...table, columns, sha256 })) }),
		);
		await detached(database, () => restoreBackup(database.url, older, { replace: true }));
		const [count] = await database.sql<{ n: number }[]>`select count(*)::int as n from drizzle.__drizzle_migrations`;
		expect(count?.n).toBe(manifest.migrations.length);
		expect(await database.sql`select name from team`).toEqual([{ name: "research" }]);
	});
});

describe("a restore changes nothing", () => {
	it("when the database has rows and --replace is missing", async () => {
		const database = await filled();
		const folder = newFolder();
		await writeBackup(database.url, folder);
		await expect(detached(database, () => restoreBackup(database.url, folder, { replace: false }))).rejects.toThrow("not empty");
		expect(await database.sql`select name from team`).toHaveLength(1);
	});
	it("when programs are connected", async () => {
		const database = await filled();
		const folder = newFolder();
		await writeBackup(database.url, folder);
		await database.sql`select set_config('application_name', 'spillway-web', false)`;
		await expect(restoreBackup(database.url, folder, { replace: true })).rejects.toThrow("spillway-web");
	});
	it("when a file of the backup is damaged", async () => {
		const database = await filled();
		const folder = newFolder();
		await writeBackup(database.url, folder);
		writeFileSync(tableFile(folder, "team"), gzipSync("other\n"));
		const before = await rowsOf(database);
		await expect(detached(database, () => restoreBackup(database.url, folder, { replace: true }))).rejects.toThrow();
		expect(await rowsOf(database)).toEqual(before);
	});
	it("when the backup was interrupted or comes from a newer release", async () => {
		const database = await filled();
		const folder = newFolder();
		const manifest = await writeBackup(database.url, folder);
		writeFileSync(path.join(folder, MANIFEST), JSON.stringify({ ...manifest, migrations: [...manifest.migrations, "unknown"] }));
		await expect(restoreBackup(database.url, folder, { replace: true })).rejects.toThrow("newer release");
		rmSync(path.join(folder, MANIFEST));
		await expect(restoreBackup(database.url, folder, { replace: true })).rejects.toThrow("not a complete backup");
		expect(existsSync(tableFile(folder, "team"))).toBe(true);
	});
});
