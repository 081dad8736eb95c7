import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aCard } from "#server/accounting/testing/cards.ts";
import { audit } from "#server/db/schema/audit.ts";
import type { Role } from "#server/domain/vocabulary.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { cardsOfPool } from "#server/services/pricing/owned/pool-cards.ts";
import { ledgerCheck } from "../charge/check.ts";
import { meterAll } from "../charge/meter.ts";
import { settleAllocation } from "../charge/settle.ts";
import * as test from "../charge/testing/books.ts";
import { setMeasuredPower } from "./measured-power.ts";
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
const power = { busyWattsPerGpu: "400", idleWattsPerGpu: "100", pue: "1.5", electricityUsdPerKwh: "0.10" };
const reading = (kwh: string, changes: { from?: string; to?: string } = {}) => ({
	...{ from: at(test.T0), to: at(test.T0 + 2 * HOUR_MS), kwh, message: "PDU 7, October" },
	...changes,
});

/** Four GPUs from 10:00 to 12:00, with one busy until 11:00: 1 × 400 Wh + 7 × 100 Wh = 1.1 kWh as the card estimates. */
async function twoHours(): Promise<{ allocationId: string; jobId: string }> {
	await test.addPool(books);
	await setRateCard(as("finance"), key, { card: aCard({ power }), message: "first", effectiveFrom: at(test.T0) });
	const use = await test.addUse(books);
	books.clock.advance(HOUR_MS);
	await test.endUse(books, use.allocationId);
	await meterAll(books);
	books.clock.advance(HOUR_MS);
	await meterAll(books);
	return use;
}

async function sums() {
	const [row] = await books.database.sql`
		select sum(effective_micro_usd)::text as usd, sum(energy_milli_wh)::text as energy, sum(measured_energy_milli_wh)::text as measured,
			sum(emissions_milligrams)::text as emissions, sum(gpu_ms)::text as gpu_ms from charge`;
	return row;
}

describe("measured power of a pool's machines", () => {
	it("replaces the estimate: 1.65 kWh instead of 1.1, × PUE 1.5 × $0.10 = $0.2475, where the job's 400 × 1.5 Wh are $0.09", async () => {
		const use = await twoHours();
		const before = await sums();
		expect(before).toMatchObject({ usd: "165000", energy: "1650000", measured: "0" });
		const set = await setMeasuredPower(as("finance"), key, reading("1.65"));
		expect(set).toMatchObject({ estimatedKwh: "1.1", corrections: 3, correctedMicroUsd: "82500" });
		expect(set.cards).toEqual([{ effectiveFrom: at(test.T0), busyWattsPerGpu: "600", idleWattsPerGpu: "150" }]);
		expect(await test.chargedTo(books, use)).toBe(90_000n);
		expect(await test.chargedTo(books, { poolId: "gpu" })).toBe(157_500n);
		// 1.65 kWh × 1.5, all of it measured, and 50 % more emissions in the same time.
		const after = await sums();
		expect(after).toMatchObject({ usd: "247500", energy: "2475000", measured: "2475000", gpu_ms: before?.["gpu_ms"] });
		// Tolerates a milligram for each hour of a cause: every total is rounded down once.
		expect(Math.abs(Number(after?.["emissions"]) - (Number(before?.["emissions"]) * 3) / 2)).toBeLessThan(8);
		expect((await books.db.select().from(audit)).at(-1)).toMatchObject({ action: "rate_card.measured", subject: "local/gpu" });
	});

	it("changes nothing when repeated, and a new value replaces the old one: back to 1.1 kWh", async () => {
		await twoHours();
		await setMeasuredPower(as("finance"), key, reading("1.65"));
		books.clock.advance(1_000);
		expect(await setMeasuredPower(as("finance"), key, reading("1.65"))).toMatchObject({ estimatedKwh: "1.65", corrections: 0 });
		books.clock.advance(1_000);
		expect(await setMeasuredPower(as("finance"), key, reading("1.1"))).toMatchObject({ correctedMicroUsd: "-82500" });
		expect(await sums()).toMatchObject({ usd: "165000", energy: "1650000", measured: "1650000" });
	});

	it("applies only to its own time: from 12:00 on, and before 10:00, the card is unchanged", async () => {
		await twoHours();
		await setMeasuredPower(as("finance"), key, reading("0.3", { from: at(test.T0 + HOUR_MS), to: at(test.T0 + 2 * HOUR_MS) }));
		const cards = await cardsOfPool(books.db, key);
		expect(cards.map(({ effectiveFromMs, card }) => [at(effectiveFromMs), card.power.busyWattsPerGpu, card.power.measured?.kwh])).toEqual([
			[at(test.T0), "400", undefined],
			[at(test.T0 + HOUR_MS), "300", "0.3"],
			[at(test.T0 + 2 * HOUR_MS), "400", undefined],
		]);
		books.clock.advance(HOUR_MS);
		await meterAll(books);
		// 0.7 kWh until 11:00, the measured 0.3, and 4 × 100 W from 12:00 on.
		expect(await sums()).toMatchObject({ energy: String((700_000 + 300_000 + 400_000) * 1.5), measured: String(300_000 * 1.5) });
	});

	it("splits over a change of cards in proportion: 400/100 W until 11:00 and 800/200 W after it, both × 1.5", async () => {
		await twoHours();
		const second = aCard({ power: { ...power, busyWattsPerGpu: "800", idleWattsPerGpu: "200" } });
		await setRateCard(as("finance"), key, { card: second, message: "new fans", effectiveFrom: at(test.T0 + HOUR_MS) });
		// Of two cards for one instant, the one written later applies.
		books.clock.advance(1_000);
		// 700 Wh + 4 × 200 Wh.
		const set = await setMeasuredPower(as("finance"), key, reading("2.25"));
		expect(set).toMatchObject({ estimatedKwh: "1.5", cards: [{ idleWattsPerGpu: "150" }, { idleWattsPerGpu: "300" }] });
		expect(await sums()).toMatchObject({ energy: "3375000", measured: "3375000" });
	});

	it("moves measured energy between the job and idle for an end learned late: 20 min × 450 W × 1.5 come off, and stay measured", async () => {
		await test.addPool(books);
		await setRateCard(as("finance"), key, { card: aCard({ power }), message: "first", effectiveFrom: at(test.T0) });
		const use = await test.addUse(books);
		books.clock.advance(HOUR_MS);
		await meterAll(books);
		await setMeasuredPower(as("finance"), key, reading("1.05", { to: at(test.T0 + HOUR_MS) }));
		await test.endUse(books, use.allocationId, test.T0 + (HOUR_MS * 2) / 3);
		await settleAllocation(books, use.allocationId);
		expect(await test.chargedTo(books, use)).toBe(60_000n);
		const { energy, measured } = (await sums()) as { energy: string; measured: string };
		expect([energy, measured]).toEqual([String((1_050_000 - 150_000) * 1.5), String((1_050_000 - 150_000) * 1.5)]);
	});

	it.each([
		["watt-hours", reading("1650"), "more than 5 times as much"],
		["the meter of a node", reading("0.1"), "less than a fifth"],
		["no length", reading("1.65", { to: at(test.T0) }), "has no duration"],
		["a time without charges yet", reading("1.65", { to: at(test.T0 + 3 * HOUR_MS) }), "goes beyond it"],
		["a time before the first card", reading("1.65", { from: at(test.T0 - HOUR_MS) }), "goes beyond it"],
	])("is rejected, with nothing changed: %s", async (_what, input, said) => {
		await twoHours();
		const before = await sums();
		await expect(setMeasuredPower(as("finance"), key, input)).rejects.toThrow(said);
		expect(await sums()).toEqual(before);
		expect(await cardsOfPool(books.db, key)).toHaveLength(1);
	});

	it("is set by callers who may change rates, for an existing pool, and no card may set it itself", async () => {
		await twoHours();
		await expect(setMeasuredPower(as("data_scientist"), key, reading("1.65"))).rejects.toMatchObject({ code: "forbidden" });
		await expect(setMeasuredPower(as("finance"), { ...key, poolId: "none" }, reading("1.65"))).rejects.toMatchObject({ code: "not_found" });
		const said = aCard({ power: { ...power, measured: { kwh: "1", from: at(test.T0), to: at(test.T0 + HOUR_MS) } } });
		await expect(setRateCard(as("finance"), key, { card: said, message: "copied" })).rejects.toThrow("read-only");
	});
});
