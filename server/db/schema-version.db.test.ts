import type { MigrationMeta } from "drizzle-orm/migrator";
import postgres from "postgres";
import { afterEach, beforeEach, expect, it } from "vitest";
import { migrate, requireMigrated } from "./migrate.ts";
import { recordCompatibility, requireKnownSchema } from "./schema-version.ts";
import { createTestDatabase, type TestDatabase } from "./testing/database.ts";

let database: TestDatabase;
let sql: postgres.Sql;
beforeEach(async () => {
	database = await createTestDatabase();
	sql = postgres(database.url, { max: 1 });
});
afterEach(async () => {
	await sql.end();
	await database.drop();
});

const migrationOf = (folderMillis: number, text: string): MigrationMeta => ({
	sql: [text],
	folderMillis,
	hash: `h${folderMillis}`,
	bps: true,
});
const first = migrationOf(1, "create table a ()");
const adds = migrationOf(2, "-- expands: earlier programs run on this schema\nalter table a add column b int");
const removes = migrationOf(3, "alter table a drop column b");

async function apply(...all: MigrationMeta[]): Promise<void> {
	await sql`delete from drizzle.__drizzle_migrations`;
	for (const m of all) await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values (${m.hash}, ${m.folderMillis})`;
	await recordCompatibility(sql, all);
}

it("accepts this version's own schema", async () => {
	await migrate(database.url);
	await requireMigrated(database.url);
});

it("rejects a database with missing migrations, and says how to run them", async () => {
	await apply(first);
	await expect(requireKnownSchema(sql, [first, adds])).rejects.toMatchObject({
		code: "precondition_failed",
		message: "The database lacks 1 of this version's 2 migrations.",
		fix: expect.stringContaining("server/bin/migrate.ts"),
	});
});

it("lets the previous version run with an additive migration", async () => {
	await apply(first, adds);
	await requireKnownSchema(sql, [first]);
});

it("rejects the previous version after a non-additive migration, whatever follows it", async () => {
	await apply(first, adds, removes, { ...adds, folderMillis: 4, hash: "h4" });
	for (const known of [[first], [first, adds]])
		await expect(requireKnownSchema(sql, known)).rejects.toMatchObject({ message: expect.stringContaining("newer version of Spillway") });
	await requireKnownSchema(sql, [first, adds, removes]);
	// Migrating with an older program changes nothing.
	await recordCompatibility(sql, [first]);
	await expect(requireKnownSchema(sql, [first])).rejects.toThrow("newer version of Spillway");
});
