import { asc } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { alert } from "#server/db/schema/alert.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { meterAll } from "./meter.ts";
import { checkLedgerNow, checkLedgerWhenDue, readLedgerCheck } from "./nightly-check.ts";
import * as test from "./testing/books.ts";

let books: test.Books;
beforeEach(async () => {
	books = await test.openBooks();
	await test.addMachine(books);
	books.clock.advance(HOUR_MS);
	await meterAll(books);
});
afterEach(() => books.database.drop());

const alerts = () => books.db.select().from(alert).orderBy(asc(alert.openedAt));

describe("the nightly check", () => {
	it("runs when there was no check yet and again after a day, and stores the result", async () => {
		expect(await readLedgerCheck(books.db)).toBeNull();
		expect(await checkLedgerWhenDue(books)).toBe(true);
		expect(await readLedgerCheck(books.db)).toMatchObject({ checkedAtMs: books.clock.nowMs(), ok: true, charges: 1, differences: [] });
		books.clock.advance(DAY_MS - 1);
		expect(await checkLedgerWhenDue(books)).toBe(false);
		books.clock.advance(1);
		expect(await checkLedgerWhenDue(books)).toBe(true);
		expect(await alerts()).toEqual([]);
	});

	it("opens one alert while sums differ, with the first difference, and closes it when they agree again", async () => {
		await books.database.sql`update rollup set billed_micro_usd = billed_micro_usd + 5 where granularity = 'month'`;
		expect(await checkLedgerNow(books)).toMatchObject({ ok: false, differenceCount: 1 });
		books.clock.advance(HOUR_MS);
		await checkLedgerNow(books);
		const [open, ...more] = await alerts();
		expect(more).toEqual([]);
		expect(open).toMatchObject({ rule: "ledger_mismatch", subject: "ledger", team: null, closedAt: null });
		expect(open?.facts).toMatchObject({
			differences: 1,
			granularity: "month",
			column: "billed_micro_usd",
			rollup: "404205",
			charges: "404200",
		});

		await books.database.sql`update rollup set billed_micro_usd = billed_micro_usd - 5 where granularity = 'month'`;
		await checkLedgerNow(books);
		expect((await alerts()).map((a) => a.closedAt?.getTime())).toEqual([books.clock.nowMs()]);
	});
});
