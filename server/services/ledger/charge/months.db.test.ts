import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { listCharges } from "#server/services/reporting/spend/charges.ts";
import { ledgerCheck } from "./check.ts";
import { meterAll } from "./meter.ts";
import { createMonthsAhead } from "./months-ahead.ts";
import { postCharges } from "./post-charges.ts";
import { aCharge } from "./testing/a-charge.ts";
import * as test from "./testing/books.ts";

let books: test.Books;
beforeEach(async () => {
	books = await test.openBooks();
});
afterEach(() => books.database.drop());

/** One hour at $1 each. */
async function chargeHoursAt(...starts: string[]): Promise<void> {
	const machine = await test.addMachine(books);
	const drafts = starts.map((start) => aCharge(machine, Date.parse(start), Date.parse(start) + HOUR_MS));
	await books.db.transaction((tx) => postCharges(tx, drafts, books.clock.nowMs()));
}
const partitions = async () =>
	(
		await books.database.sql<{ name: string }[]>`
			select inhrelid::regclass::text as name from pg_inherits where inhparent = 'charge'::regclass order by 1`
	).map((row) => row.name);
const where = async () =>
	(
		await books.database.sql<{ at: string; lies: string }[]>`
			select to_char(period_start at time zone 'UTC', 'YYYY-MM-DD HH24') as at, tableoid::regclass::text as lies from charge order by period_start`
	).map(({ at, lies }) => [at, lies]);

describe("charges in partitions by UTC month", () => {
	it("keep each charge in the partition of its month, also the last hour of one month and the first of the next", async () => {
		await chargeHoursAt("2026-10-31T23:00Z", "2026-11-01T00:00Z", "2026-12-31T23:00Z", "2027-01-01T00:00Z");
		expect(await where()).toEqual([
			["2026-10-31 23", "charge_2026_10"],
			["2026-11-01 00", "charge_2026_11"],
			["2026-12-31 23", "charge_2026_12"],
			["2027-01-01 00", "charge_2027_01"],
		]);
	});

	it("accept charges of unexpected months, long ago and far ahead: $1 each, in every sum", async () => {
		await chargeHoursAt("2025-02-28T12:00Z", "2027-07-15T12:00Z");
		expect((await where()).map(([, lies]) => lies)).toEqual(["charge_2025_02", "charge_2027_07"]);
		const { differences, totals } = await ledgerCheck(books);
		expect(differences).toEqual([]);
		expect(totals).toMatchObject({ charges: 2_000_000n, month: 2_000_000n });
	});

	it("create a missing month once for four concurrent charges, and keep all four", async () => {
		await Promise.all(Array.from({ length: 4 }, () => chargeHoursAt("2026-12-01T00:00Z")));
		expect(await partitions()).toEqual(["charge_2026_12"]);
		expect(await where()).toHaveLength(4);
		expect((await ledgerCheck(books)).differences).toEqual([]);
	});

	it("exist ahead for this month and the next, created once however many processes run; the change of month finds its partition", async () => {
		await Promise.all(Array.from({ length: 4 }, () => createMonthsAhead(books)));
		expect(await partitions()).toEqual(["charge_2026_11", "charge_2026_12"]);
		books.clock.advance(Date.UTC(2026, 10, 30, 23, 30) - books.clock.nowMs());
		await test.addMachine(books);
		books.clock.advance(HOUR_MS);
		await meterAll(books);
		expect((await where()).map(([, lies]) => lies)).toEqual(["charge_2026_11", "charge_2026_12"]);
		await createMonthsAhead(books);
		expect(await partitions()).toEqual(["charge_2026_11", "charge_2026_12", "charge_2027_01"]);
	});

	it("do not touch other months when a page of one month is read: it works while October is locked", async () => {
		await chargeHoursAt("2026-10-15T12:00Z", "2026-11-15T12:00Z");
		const november = { fromMs: Date.UTC(2026, 10, 1), toMs: Date.UTC(2026, 11, 1) };
		const page = await books.database.sql.begin(async (other) => {
			await other`lock table charge_2026_10 in access exclusive mode`;
			return Promise.race([listCharges(books, november), pause(5_000).then(() => null)]);
		});
		expect(page?.items.map((c) => c.effectiveMicroUsd)).toEqual([1_000_000n]);
	});

	it("reject changes through a single partition or the whole table", async () => {
		await chargeHoursAt("2026-11-15T12:00Z");
		for (const statement of [
			...["update charge_2026_11 set effective_micro_usd = 0", "delete from charge_2026_11", "truncate charge_2026_11"],
			...["update charge set effective_micro_usd = 0", "delete from charge", "truncate charge"],
		])
			await expect(books.database.sql.unsafe(statement), statement).rejects.toThrow(/insert-only/);
		expect(await where()).toHaveLength(1);
	});
});
