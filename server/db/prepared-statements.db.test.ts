import { eq, inArray, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Connection, connect, type DbOrTx } from "./client.ts";
import { team } from "./schema/account.ts";
import { createTestDatabase, type TestDatabase } from "./testing/database.ts";

let database: TestDatabase;
let one: Connection;
beforeAll(async () => {
	database = await createTestDatabase();
	one = connect(database.url, { max: 1 });
});
afterAll(async () => {
	await one?.end();
	await database?.drop();
});

const byName = (db: DbOrTx, name: string) => db.select({ name: team.name }).from(team).where(eq(team.name, name));
/** Prepared statements of the session that use teams, with their number of runs. */
const preparedOn = async (db: DbOrTx) => [
	...(await db.execute<{ runs: number }>(
		sql`select (generic_plans + custom_plans)::int as runs from pg_prepared_statements where statement ~ ${'from "team"'}`,
	)),
];

describe("session statements", () => {
	it("are prepared once, outside and inside transactions and savepoints", async () => {
		await byName(one.db, "a");
		await one.db.transaction(async (tx) => {
			await byName(tx, "b");
			await tx.transaction((inner) => byName(inner, "c"));
		});
		expect(await preparedOn(one.db)).toEqual([{ runs: 3 }]);
	});

	it("are not kept for long lists, where each length would be another statement", async () => {
		const names = Array.from({ length: 17 }, (_, i) => `team-${i}`);
		const before = await preparedOn(one.db);
		await one.db.select({ name: team.name }).from(team).where(inArray(team.name, names));
		expect(await preparedOn(one.db)).toEqual(before);
	});

	it("are not prepared through a pooler, which may send the next one to another session", async () => {
		const pooled = connect(database.url, { max: 1, directUrl: database.url });
		try {
			await byName(pooled.db, "a");
			expect(await preparedOn(pooled.db)).toEqual([]);
		} finally {
			await pooled.end();
		}
	});
});
