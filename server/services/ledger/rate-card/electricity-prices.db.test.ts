import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aCard } from "#server/accounting/testing/cards.ts";
import { audit } from "#server/db/schema/audit.ts";
import type { Role } from "#server/domain/vocabulary.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { busyPricesNow, electricityAhead } from "#server/services/pricing/owned/gpu-hour-prices.ts";
import { ledgerCheck } from "../charge/check.ts";
import { meterAll } from "../charge/meter.ts";
import { receiptOf } from "../charge/receipt.ts";
import { settleAllocation } from "../charge/settle.ts";
import * as test from "../charge/testing/books.ts";
import { listElectricityPrices, setElectricityPrices } from "./electricity-prices.ts";
import { readPoolRates } from "./list.ts";
import { setRateCard } from "./set.ts";

let books: test.Books;
beforeEach(async () => {
	books = await test.openBooks();
});
afterEach(async () => {
	const check = await ledgerCheck(books);
	await books.database.drop();
	expect(check.differences).toEqual([]);
});

const key = { siteId: "local", poolId: "gpu" };
const at = (ms: number) => new Date(ms).toISOString();
const as = (role: Role) => ({
	...books,
	actor: { kind: "person", accountId: "usr_1", name: "Ada", role, teams: ["risk"], via: "session" } as const,
});
const hour = (n: number) => test.T0 + n * HOUR_MS;
const file = (...rows: [number, string][]) => ["ts,usd_per_mwh", ...rows.map(([n, price]) => `${at(hour(n))},${price}`)].join("\n");
const set = (...rows: [number, string][]) =>
	setElectricityPrices(as("finance"), "local", { text: file(...rows), message: "EPEX day-ahead" });

/** Four GPUs at 1,000 W busy and 100 W idle, PUE 1.5, with a card at $0.10 per kWh. */
async function aPool(): Promise<void> {
	await test.addPool(books);
	const power = { busyWattsPerGpu: "1000", idleWattsPerGpu: "100", pue: "1.5", electricityUsdPerKwh: "0.10" };
	await setRateCard(as("finance"), key, { card: aCard({ power }), message: "first", effectiveFrom: at(test.T0) });
}

/** From 10:00 on, a job uses one of the four. */
async function hours(count: number, minutes = 0): Promise<{ allocationId: string }> {
	await aPool();
	const use = await test.addUse(books);
	books.clock.advance(count * HOUR_MS + minutes * MINUTE_MS);
	await meterAll(books);
	return use;
}

const charged = async () => {
	const [row] = await books.database.sql`
		select sum(effective_micro_usd)::text as usd, sum(energy_milli_wh)::text as energy, sum(emissions_milligrams)::text as emissions from charge`;
	return row;
};

describe("hourly electricity prices", () => {
	it("apply when known before the hour: 10:00 by the card at $0.10, 11:00 at $0.30, 12:00 at −$0.02: 0.15 + 0.45 − 0.03", async () => {
		await aPool();
		await set([1, "300"], [2, "-20"]);
		const use = await test.addUse(books);
		for (let minute = 0; minute < 180; minute += 36) {
			books.clock.advance(36 * MINUTE_MS);
			await meterAll(books);
		}
		// 1 kW × 1.5 for the job; 3 × 0.1 kW × 1.5 for the idle ones.
		expect(await test.chargedTo(books, use)).toBe(150_000n + 450_000n - 30_000n);
		expect(await test.chargedTo(books, { poolId: "gpu" })).toBe(45_000n + 135_000n - 9_000n);
		expect((await receiptOf(books, use.jobId)).electricity).toEqual({
			card: { ms: HOUR_MS, microUsdPerKwh: 100_000n },
			hourly: { ms: 2 * HOUR_MS, microUsdPerKwh: 140_000n },
			sources: ["EPEX day-ahead"],
		});
	});

	it("correct charges when they arrive late, by the hour and to the charged minute; energy and emissions stay; repeating them changes nothing", async () => {
		const use = await hours(2, 30);
		const before = await charged();
		// $0.30 and $0.02 instead of $0.10 at 10:00 and 12:00: 1.95 kWh × 0.2, and half of it × −0.08.
		expect(await set([0, "300"], [2, "20"], [5, "50"])).toMatchObject({ added: 3, corrections: 4, correctedMicroUsd: "312000" });
		expect(await test.chargedTo(books, use)).toBe(450_000n + 150_000n + 15_000n);
		expect(await charged()).toEqual({ ...before, usd: String(BigInt(before?.["usd"]) + 312_000n) });
		books.clock.advance(30 * MINUTE_MS);
		await meterAll(books);
		expect(await test.chargedTo(books, use)).toBe(450_000n + 150_000n + 30_000n);
		expect(await set([0, "300"], [2, "20"])).toMatchObject({ added: 0, replaced: 0, unchanged: 2, corrections: 0 });
		expect(await set([0, "100"], [2, "20"])).toMatchObject({ replaced: 1, correctedMicroUsd: "-390000" });
		expect((await books.db.select().from(audit)).at(-1)).toMatchObject({ action: "electricity.import", subject: "local" });
	});

	it("stay in effect under a later card, and for an end learned late: 20 min of the job at $0.30 return to idle", async () => {
		const use = await hours(1);
		await set([0, "300"]);
		const power = { busyWattsPerGpu: "2000", idleWattsPerGpu: "200", pue: "1.5", electricityUsdPerKwh: "0.50" };
		books.clock.advance(1_000);
		await setRateCard(as("finance"), key, { card: aCard({ power }), message: "new fans", effectiveFrom: at(test.T0) });
		expect(await test.chargedTo(books, use)).toBe(900_000n);
		await test.endUse(books, use.allocationId, test.T0 + 40 * MINUTE_MS);
		await settleAllocation(books, use.allocationId);
		expect(await test.chargedTo(books, use)).toBe(600_000n);
		expect(await test.chargedTo(books, { poolId: "gpu" })).toBe(270_000n + 30_000n);
	});

	it("are shown hour by hour and on the pool's card; the card's price applies in the 718 other hours of November", async () => {
		await aPool();
		await set([1, "81.5"], [2, "-4"]);
		expect(await listElectricityPrices(as("finance"), "local", { fromMs: hour(0), toMs: hour(24) })).toEqual([
			{ from: at(hour(1)), usdPerKwh: "0.0815", source: "EPEX day-ahead" },
			{ from: at(hour(2)), usdPerKwh: "-0.004", source: "EPEX day-ahead" },
		]);
		expect((await readPoolRates(as("finance"), key)).month).toMatchObject({
			...{ hours: 720, hoursPriced: 2, electricitySources: ["EPEX day-ahead"] },
		});
	});

	it("count in the price of a GPU-hour, in the month and in the 24 hours ahead: 1.5 kWh at $0.0815 and −$0.004 next to 718 and 22 h at $0.10", async () => {
		await aPool();
		const pools = [{ siteId: "local", id: "gpu", nodes: 1, gpusPerNode: 4 }];
		const prices = async () => ({
			month: BigInt((await readPoolRates(as("finance"), key)).month?.busyMicroUsdPerGpuHour ?? 0),
			ahead: (await busyPricesNow(books.db, pools, books.clock.nowMs())).get("local/gpu") ?? 0n,
		});
		const byCard = await prices();
		expect(await electricityAhead(books.db, ["local"], books.clock.nowMs())).toEqual([]);
		await set([-1, "999"], [1, "81.5"], [2, "-4"]);
		const known = await prices();
		// 0.999 is for an hour of the previous month: (1,498,500 + 122,250 − 6,000 + 717 × 150,000) ÷ 720.
		expect(known.month - byCard.month).toBe(151_617n - 150_000n);
		// (122,250 − 6,000 + 22 × 150,000) ÷ 24.
		expect(known.ahead - byCard.ahead).toBe(142_343n - 150_000n);
		expect(await electricityAhead(books.db, ["local"], books.clock.nowMs())).toEqual([
			{ siteId: "local", hours: 24, hoursPriced: 2, sources: ["EPEX day-ahead"] },
		]);
		expect(await electricityAhead(books.db, ["local"], books.clock.nowMs() + 3 * HOUR_MS)).toEqual([]);
		expect(await electricityAhead(books.db, ["aws"], books.clock.nowMs())).toEqual([]);
		// Within an hour the prices stay the same.
		books.clock.advance(59 * MINUTE_MS);
		expect((await prices()).ahead).toBe(known.ahead);
	});

	it.each([
		["a missing column", "ts,price\n2026-11-10T10:00:00Z,1", "no column for the price"],
		["both units", "ts,usd_per_kwh,usd_per_mwh\n2026-11-10T10:00:00Z,1,1000", "no column for the price"],
		[
			"a price for a quarter of an hour",
			"ts,usd_per_mwh\n2026-11-10T10:15:00Z,80",
			'line 2: "2026-11-10T10:15:00Z" is not the start of a UTC hour',
		],
		["a decimal comma", 'ts,usd_per_mwh\n2026-11-10T10:00:00Z,"80,5"', "is not a price"],
		["the other column's unit", "ts,usd_per_kwh\n2026-11-10T10:00:00Z,80.5", "is not a price"],
		["two prices for one hour", "ts,usd_per_mwh\n2026-11-10T10:00:00Z,80\n2026-11-10 10:00,81", "line 3 and line 2 give different prices"],
		["no prices", "ts,usd_per_mwh\n2026-11-10T10:00:00Z,", "it has no hours"],
		["a time too long ago", "ts,usd_per_mwh\n2024-11-10T10:00:00Z,80", "The hours go from 2024-11-10"],
	])("are rejected, with nothing changed: %s", async (_what, text, said) => {
		await aPool();
		await expect(setElectricityPrices(as("finance"), "local", { text, message: "m" })).rejects.toThrow(said);
		expect(await listElectricityPrices(as("finance"), "local", { fromMs: hour(-24), toMs: hour(24) })).toEqual([]);
	});

	it("are set by callers who may change rates, for a site with its own hardware", async () => {
		await aPool();
		const input = { text: file([0, "80"]), message: "m" };
		await expect(setElectricityPrices(as("data_scientist"), "local", input)).rejects.toMatchObject({ code: "forbidden" });
		await expect(setElectricityPrices(as("finance"), "aws", input)).rejects.toMatchObject({ code: "not_found" });
	});
});
