import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { pool } from "#server/db/schema/site.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import * as test from "#server/services/ledger/charge/testing/books.ts";
import { readUseByHour } from "./use-by-hour.ts";

/** 2 nodes of 2 GPUs, owned from 10:00; it is 12:30. Node 0: 1 slot 10:15 to 11:45. Node 1: both slots from 12:00 on. */
let books: test.Books;
beforeAll(async () => {
	books = await test.openBooks();
	await test.addPool(books, { gpus: 2 });
	await books.db.update(pool).set({ nodes: 2 }).where(eq(pool.id, "gpu"));
	books.clock.advance(15 * MINUTE_MS);
	const first = await test.addUse(books, { slots: [1] });
	books.clock.advance(90 * MINUTE_MS);
	await test.endUse(books, first.allocationId);
	books.clock.advance(15 * MINUTE_MS);
	await test.addUse(books, { slots: [2, 3] });
	books.clock.advance(30 * MINUTE_MS);
});
afterAll(() => books.database.drop());

it("is the held share of each hour: 45 of 2 × 60 minutes on node 0 from 10:00 and again from 11:00, all of node 1 in the last half hour", async () => {
	const { fromMs, hours, pools } = await readUseByHour(books);
	expect([fromMs, hours]).toEqual([test.T0 - 21 * HOUR_MS, 24]);
	expect(pools).toHaveLength(1);
	const last = (shares: readonly (number | null)[] = []): unknown[] => shares.slice(-4);
	expect(pools[0]).toMatchObject({ siteId: "local", poolId: "gpu", gpus: 4 });
	expect(pools[0]?.nodes.map((n) => last(n.shares))).toEqual([
		[null, 0.375, 0.375, 0],
		[null, 0, 0, 1],
	]);
	expect(last(pools[0]?.shares)).toEqual([null, 0.1875, 0.1875, 0.5]);
});

it("lists no nodes for a single node, or for too many to read", async () => {
	for (const nodes of [1, 33]) {
		await books.db.update(pool).set({ nodes }).where(eq(pool.id, "gpu"));
		expect((await readUseByHour(books)).pools[0]?.nodes).toEqual([]);
	}
});
