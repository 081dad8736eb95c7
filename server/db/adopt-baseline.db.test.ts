import path from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";
import postgres from "postgres";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SpillwayError } from "#server/kernel/errors.ts";
import { adoptDatabase, migrate } from "./migrate.ts";
import { createTestDatabase, type TestDatabase } from "./testing/database.ts";

let database: TestDatabase;
let sql: postgres.Sql;

beforeEach(async () => {
	database = await createTestDatabase();
	sql = postgres(database.url, { max: 1, onnotice: () => {} });
});
afterEach(async () => {
	await sql.end();
	await database.drop();
});

const journal = () => sql<{ hash: string; created_at: string }[]>`select hash, created_at from drizzle.__drizzle_migrations order by id`;

/**
 * Turns the database into what the earlier migrations produced: the baseline's schema, and a journal of 38 rows, the
 * last one at a known time.
 */
async function simulateEarlierSchema(count: number): Promise<void> {
	await sql`drop schema public cascade`;
	await sql`create schema public`;
	const [baseline] = readMigrationFiles({ migrationsFolder: path.resolve(import.meta.dirname, "../../drizzle") });
	await sql.begin(async (tx) => {
		for (const statement of baseline?.sql ?? []) await tx.unsafe(statement);
	});
	await sql`insert into setting (key, value) values ('kept', '1')`;
	await sql`delete from drizzle.__drizzle_migrations`;
	await sql`insert into drizzle.__drizzle_migrations (hash, created_at)
		select 'earlier-' || n, 1795473764011 - (38 - n) * 1000 from generate_series(1, ${count}::int) as n`;
}

it("adopts a database with every earlier migration, and leaves its data alone", async () => {
	const before = await journal();
	await simulateEarlierSchema(38);
	expect(await adoptDatabase(database.url)).toBe("adopted");
	expect(await journal()).toEqual([before[0]]);
	expect(await adoptDatabase(database.url)).toBe("current");
	await migrate(database.url);
	expect(await journal()).toEqual(before);
	expect(await sql`select value from setting where key = 'kept'`).toEqual([{ value: 1 }]);
});

it("rejects a database with missing migrations, names the commit to update it with, and changes nothing", async () => {
	await simulateEarlierSchema(37);
	const before = await journal();
	const error = await migrate(database.url).catch((e: unknown) => e);
	expect(error).toBeInstanceOf(SpillwayError);
	expect(error).toMatchObject({ code: "conflict", message: expect.stringContaining("37 of the 38 migrations") });
	expect((error as SpillwayError).fix).toMatch(/commit [0-9a-f]{12}/);
	expect(await journal()).toEqual(before);
});

it("leaves a database without migrations to the migrations", async () => {
	await sql`delete from drizzle.__drizzle_migrations`;
	expect(await adoptDatabase(database.url)).toBe("new");
});
