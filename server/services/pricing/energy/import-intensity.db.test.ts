import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { audit } from "#server/db/schema/audit.ts";
import { gridIntensity } from "#server/db/schema/grid-intensity.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { chargesOf } from "#server/services/ledger/charge/charges-of.ts";
import { ledgerCheck } from "#server/services/ledger/charge/check.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import * as test from "#server/services/ledger/charge/testing/books.ts";
import { importIntensity } from "./import-intensity.ts";

let books: test.Books;
beforeEach(async () => {
	books = await test.openBooks();
});
afterEach(async () => {
	const check = await ledgerCheck(books);
	await books.database.drop();
	expect(check.differences).toEqual([]);
});

/** Whole hours from 2026-11-10T10:00Z on. */
const csv = (zone: string, grams: readonly number[], firstMs = test.T0) =>
	["zone,ts,g_per_kwh", ...grams.map((g, i) => `${zone},${new Date(firstMs + i * HOUR_MS).toISOString()},${g}`)].join("\n");
const take = (text: string) => importIntensity(books, { text, source: "test" });
const stored = async () => (await books.db.select().from(gridIntensity)).map((row) => row.milligramsPerKwh).sort((a, b) => a - b);

describe("importing hourly intensities", () => {
	it("adds new hours, replaces only future ones, and changes nothing the second time", async () => {
		expect(await take(csv("DE", [300, 310, 320]))).toMatchObject({ added: 3, replaced: 0, kept: 0, unchanged: 0 });
		expect(await take(csv("DE", [300, 310, 320]))).toMatchObject({ added: 0, replaced: 0, kept: 0, unchanged: 3 });
		books.clock.advance(70 * MINUTE_MS);
		expect(await take(csv("DE", [1, 2, 3, 4]))).toMatchObject({ added: 1, replaced: 1, kept: 2, unchanged: 0 });
		expect(await stored()).toEqual([3_000, 4_000, 300_000, 310_000]);
	});

	it("audits who imported what, and reports that charges are not rewritten", async () => {
		const answer = await take(csv("DE", [300]));
		expect(answer.note).toMatch(/already written keep the intensity/);
		expect(answer.zones).toEqual([{ zone: "DE", hours: 1, fromMs: test.T0, toMs: test.T0 + HOUR_MS }]);
		const [line] = await books.db.select().from(audit).where(eq(audit.action, "carbon.import"));
		expect(line?.after).toMatchObject({ source: "test", added: 1 });
	});

	it("is rejected for a data scientist", async () => {
		const actor = { kind: "person", accountId: "a", name: "A", role: "data_scientist", teams: ["risk"], via: "session" } as const;
		await expect(importIntensity({ ...books, actor }, { text: csv("DE", [1]), source: "x" })).rejects.toThrow(/rates:change/);
	});
});

describe("charges with hourly intensities", () => {
	it("use the hour's own value: A10G 150 W × PUE 1.15 = 172.5 Wh an hour, from 10:00 at 100 g/kWh = 17.25 g, from 11:00 at the average 380.5 = 65.636 g", async () => {
		await take(csv("US-MIDA-PJM", [100]));
		const { jobId } = await test.addMachine(books);
		books.clock.advance(2 * HOUR_MS);
		await meterAll(books);
		expect((await chargesOf(books, jobId)).map((c) => [c.energyMilliWh, c.hourlyGridMilliWh, c.emissionsMilligrams])).toEqual([
			[172_500n, 172_500n, 17_250n],
			[172_500n, 0n, 65_636n],
		]);
	});

	it("leave existing charges unchanged for a late intensity, which counts for the half hour metered after it", async () => {
		const { jobId } = await test.addMachine(books);
		books.clock.advance(30 * MINUTE_MS);
		await meterAll(books);
		await take(csv("US-MIDA-PJM", [100]));
		// The meter looks up an hour without a value again after a minute.
		books.clock.advance(30 * MINUTE_MS);
		await meterAll(books);
		expect((await chargesOf(books, jobId)).map((c) => [c.hourlyGridMilliWh, c.emissionsMilligrams])).toEqual([
			[0n, 32_818n],
			[86_250n, 8_625n],
		]);
	});

	it("manufacture of a g5.xlarge: 5.555 g an hour; the market-based figure of a cloud is not known", async () => {
		const { jobId } = await test.addMachine(books);
		books.clock.advance(HOUR_MS);
		await meterAll(books);
		expect((await chargesOf(books, jobId)).map((c) => [c.embodiedMilligrams, c.marketEmissionsMilligrams])).toEqual([[5_555n, null]]);
	});
});
