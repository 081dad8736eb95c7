import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { type Connection, connect } from "./client.ts";
import { createTestDatabase, type TestDatabase } from "./testing/database.ts";

const NAME = "to-be-cut";
let database: TestDatabase;
let cut: Connection;
beforeAll(async () => {
	database = await createTestDatabase();
	await database.sql`create table written (what text)`;
});
afterAll(() => database.drop());
beforeEach(async () => {
	await database.sql`truncate written`;
	// A single connection, so that every statement uses the same one.
	cut = connect(database.url, { max: 1, applicationName: NAME });
	await cut.db.execute(sql`select 1`);
});
afterEach(() => cut.end());

/** Resolves when they no longer exist. */
async function cutSessions(): Promise<void> {
	const sessions = await database.sql`select pg_terminate_backend(pid, 10000) from pg_stat_activity where application_name = ${NAME}`;
	expect(sessions).toHaveLength(1);
}

const written = async () => (await database.sql<{ what: string }[]>`select what from written order by what`).map(({ what }) => what);

it("a transaction on a cut session fails, and its later statements are not committed on the next session", async () => {
	const transaction = { goOn: () => {}, ended: Promise.resolve("running") };
	const began = new Promise<void>((begun) => {
		const waiting = new Promise<void>((resolve) => {
			transaction.goOn = resolve;
		});
		transaction.ended = cut.db
			.transaction(async (tx) => {
				await tx.execute(sql`insert into written values ('first half')`);
				begun();
				await waiting;
				await tx.execute(sql`insert into written values ('second half')`);
			})
			.then(
				() => "committed",
				() => "failed",
			);
	});
	await began;
	await cutSessions();
	expect(await transaction.ended).toBe("failed");
	await cut.db.execute(sql`insert into written values ('later')`);
	transaction.goOn();
	await cut.db.execute(sql`select 1`);
	expect(await written()).toEqual(["later"]);
});

it("a statement in progress when its session is cut fails its transaction, nested or not, and later transactions work", async () => {
	for (const nested of [false, true]) {
		const sleeping = cut.db.transaction(async (tx) => {
			const sleep = (inner: Pick<typeof tx, "execute">) => inner.execute(sql`select pg_sleep(20)`);
			await (nested ? tx.transaction(sleep) : sleep(tx));
		});
		const outcome = sleeping.then(
			() => "committed",
			() => "failed",
		);
		for (let asleep = 0; asleep === 0; ) {
			const rows = await database.sql`select 1 from pg_stat_activity 
				where application_name = ${NAME} and state = 'active' and query like '%pg_sleep%'`;
			asleep = rows.length;
		}
		await cutSessions();
		expect(await outcome).toBe("failed");
		const again = () => cut.db.transaction((tx) => tx.execute(sql`insert into written values (${String(nested)})`));
		// postgres 3.4.9 assigns the last message of the previous session to the first statement of the next one.
		await again().catch(again);
	}
	expect(await written()).toEqual(["false", "true"]);
});

it("an error from within the transaction still rolls it back and is rethrown unchanged", async () => {
	const failing = cut.db.transaction(async (tx) => {
		await tx.execute(sql`insert into written values ('x')`);
		await tx.transaction((inner) => inner.execute(sql`select 1 / 0`)).catch(() => {});
		throw new Error("planned");
	});
	await expect(failing).rejects.toThrow("planned");
	expect(await written()).toEqual([]);
});

it("a transaction that sends nothing for too long loses its session and its locks, and the next one works", async () => {
	const limited = connect(database.url, { max: 1, idleTransactionMaxMs: 1_000 });
	try {
		await database.sql`insert into written values ('locked')`;
		// On a busy machine the session may end before the transaction has its lock.
		for (let isLocked = false; !isLocked; ) {
			const silent = limited.db.transaction(async (tx) => {
				await tx.execute(sql`update written set what = 'suspended'`);
				isLocked = true;
				// Waits for the lock, which only the end of the other session releases.
				await database.sql`update written set what = 'taken over'`;
				await tx.execute(sql`update written set what = 'late'`);
			});
			await expect(silent).rejects.toThrow();
		}
		await limited.db.execute(sql`insert into written values ('next')`);
		expect(await written()).toEqual(["next", "taken over"]);
	} finally {
		await limited.end();
	}
});
