import { afterAll, beforeAll, expect, it } from "vitest";
import { bill } from "#server/db/schema/bill.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { readReconciliation } from "#server/services/ledger/bill/reconciliation.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { addMachine, type Books, openBooks, terminate } from "#server/services/ledger/charge/testing/books.ts";
import { seedBill } from "./seed-bill.ts";

let books: Books;
beforeAll(async () => {
	books = await openBooks();
});
afterAll(() => books.database.drop());

it("bills the last month from the ledger, except for an hour and a price; a second call changes nothing", async () => {
	const machines = [];
	for (let i = 0; i < 3; i++) {
		machines.push(await addMachine(books, { capacityType: "on_demand", microUsdPerHour: 1_000_000n, onDemandMicroUsdPerHour: 1_000_000n }));
	}
	books.clock.advance(2 * HOUR_MS);
	for (const { instanceId } of machines) await terminate(books, instanceId);
	books.clock.advance(31 * DAY_MS);
	await meterAll(books);
	await seedBill(books);
	const { month, providers, items } = await readReconciliation(books, { month: "2026-11" });
	expect(month).toBe("2026-11");
	expect(providers).toMatchObject([{ provider: "aws", unexplainedMicroUsd: "0" }]);
	expect(items.map(({ state, adjustedMicroUsd }) => [state, adjustedMicroUsd])).toEqual([
		["time_variance", "1000000"],
		["price_variance", "120000"],
		["matched", "0"],
	]);
	await seedBill(books);
	expect(await books.db.$count(bill)).toBe(1);
});
