import { afterEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "./database.ts";

const SIZES = `select c.oid::regclass::text as name, pg_relation_size(c.oid)::text as bytes, reltuples from pg_class c
	where relkind = 'r' and relnamespace in ('public'::regnamespace, 'drizzle'::regnamespace) order by 1`;
const opened: TestDatabase[] = [];
afterEach(async () => {
	for (const database of opened.splice(0)) await database.drop();
});

const oidOf = async ({ sql }: TestDatabase) => (await sql`select oid::text from pg_database where datname = current_database()`)[0]?.oid;

/** Drops the database, and returns whether it still exists under another name, along with the next test's database. */
async function dropAndTake(database: TestDatabase): Promise<{ isKept: boolean; next: TestDatabase }> {
	const oid = await oidOf(database);
	await database.drop();
	const next = await createTestDatabase();
	opened.push(next);
	return { isKept: (await next.sql`select from pg_database where oid = ${oid ?? 0}::oid`).length === 1, next };
}

describe("a database released by a test", () => {
	it("is reused like a new one: without rows, sequence steps or statistics from before", async () => {
		const first = await createTestDatabase();
		const before = await first.sql.unsafe(SIZES);
		await first.sql`insert into team (name) select 'team-' || n from generate_series(1, 1000) n`;
		await first.sql`insert into audit (at, actor, action, subject) values (now(), '{"kind": "system", "part": "seed"}', 'x', '{}')`;
		await first.sql`analyze team`;
		await first.sql`analyze store`;
		const { isKept, next } = await dropAndTake(first);
		expect(isKept).toBe(true);
		expect(next.url).not.toBe(first.url);
		expect(await next.sql.unsafe(SIZES)).toEqual(before);
		expect(await next.sql`select from pg_sequences where last_value is not null and schemaname = 'public'`).toEqual([]);
	});

	it("is reused without the partitions of charged months", async () => {
		const first = await createTestDatabase();
		const before = await first.sql.unsafe(SIZES);
		await first.sql`select spillway_charge_month(m) from unnest(array['2026-10-01', '2026-11-01']::timestamptz[]) m`;
		expect(await first.sql.unsafe(SIZES)).not.toEqual(before);
		const { isKept, next } = await dropAndTake(first);
		expect(isKept).toBe(true);
		expect(await next.sql.unsafe(SIZES)).toEqual(before);
	});

	it("is reused without rows added to those of the migrations", async () => {
		const first = await createTestDatabase();
		const sizes = await first.sql.unsafe(SIZES);
		const before = await first.sql`select key from setting order by key`;
		await first.sql`insert into setting (key, value) values ('mine', '1'), ('yours', '2')`;
		const { isKept, next } = await dropAndTake(first);
		expect(isKept).toBe(true);
		expect(await next.sql`select key from setting order by key`).toEqual(before);
		expect(await next.sql.unsafe(SIZES)).toEqual(sizes);
	});

	it.each([
		["a new table", "create table mine (what text)"],
		[
			"a trigger that was disabled for a while",
			"alter table audit disable trigger audit_insert_only; alter table audit enable trigger audit_insert_only",
		],
		["one row fewer than migrations wrote", "delete from state_transition where ctid = '(0,1)'"],
	])("is dropped when it has %s", async (_what, change) => {
		const database = await createTestDatabase();
		await database.sql.unsafe(change);
		expect((await dropAndTake(database)).isKept).toBe(false);
	});
});
