import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import type { Actor } from "#server/services/core/context.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import * as test from "#server/services/ledger/charge/testing/books.ts";
import { importRates } from "#server/services/pricing/currency/import-rates.ts";
import { setReportingCurrency } from "#server/services/pricing/currency/reporting-currency.ts";
import { spendByDay } from "./by-day.ts";
import { lostWork } from "./lost-work.ts";
import { monthForecast } from "./month-forecast.ts";
import { spendBy } from "./spend-by.ts";
import { spendInCurrency } from "./spend-in-currency.ts";
import { spotSavings } from "./spot-savings.ts";

/**
 * A ledger shared by all tests: 2 GPUs at $0.60/h from 2026-11-10T10:00Z on.
 * 10:00 risk uses 1 GPU for 2 h (1,200,000); risk's spot g5 for 1 h in us-east-1 (404,200; list 1,006,000), interrupted;
 * nlp's on-demand g5 for 30 min from 11:45 in eu-west-1 (503,000). Metered up to 2026-11-11T10:00Z.
 */
let books: test.Books;
const START = test.T0;
const END = START + DAY_MS;
beforeAll(async () => {
	books = await test.openBooks();
	await test.addPool(books, { gpus: 2 });
	const use = await test.addUse(books, { project: "fraud" });
	const spot = await test.addMachine(books);
	books.clock.advance(HOUR_MS);
	await test.terminate(books, spot.instanceId);
	await test.endAttempt(books, spot.attemptId, "interrupted");
	books.clock.advance(45 * MINUTE_MS);
	const onDemand = {
		team: "nlp",
		project: "",
		class: "experimental",
		region: "eu-west-1",
		capacityType: "on_demand",
		microUsdPerHour: 1_006_000n,
	} as const;
	const demanded = await test.addMachine(books, onDemand);
	books.clock.advance(15 * MINUTE_MS);
	await test.endUse(books, use.allocationId);
	await meterAll(books);
	books.clock.advance(15 * MINUTE_MS);
	await test.terminate(books, demanded.instanceId);
	books.clock.advance(END - books.clock.nowMs());
	await meterAll(books);
});
afterAll(() => books.database.drop());

const scientist: Actor = { kind: "person", accountId: "usr_1", name: "S", role: "data_scientist", teams: ["nlp"], via: "session" };

describe("spendBy", () => {
	it("24 h × 2 × 600,000 = 28,800,000 owned: 1,200,000 used + 27,600,000 idle; cloud 404,200 + 503,000 = 907,200", async () => {
		const { totals } = await spendBy(books, { fromMs: START, toMs: END, groupBy: "team" });
		expect(totals).toMatchObject({
			ownedMicroUsd: 1_200_000n,
			idleMicroUsd: 27_600_000n,
			cloudMicroUsd: 907_200n,
			spotMicroUsd: 404_200n,
			onDemandMicroUsd: 503_000n,
			reservedMicroUsd: 0n,
			totalMicroUsd: 29_707_200n,
			gpuMs: BigInt(3.5 * HOUR_MS),
			idleGpuMs: BigInt(46 * HOUR_MS),
		});
	});

	it.each([
		["team", { "": 27_600_000n, risk: 1_604_200n, nlp: 503_000n }],
		["class", { "": 27_600_000n, burst: 1_604_200n, experimental: 503_000n }],
		["project", { "": 28_103_000n, fraud: 1_604_200n }],
		["provider", { local: 28_800_000n, aws: 907_200n }],
		["region", { "": 28_800_000n, "eu-west-1": 503_000n, "us-east-1": 404_200n }],
		["capacityType", { owned: 28_800_000n, on_demand: 503_000n, spot: 404_200n }],
		["accelerator", { "A10G-24GB": 29_707_200n }],
		["site", { local: 28_800_000n, aws: 907_200n }],
		["day", { "2026-11-10": 17_707_200n, "2026-11-11": 12_000_000n }],
	] as const)("groups by %s with the same total", async (groupBy, want) => {
		const { items, totals } = await spendBy(books, { fromMs: START, toMs: END, groupBy });
		expect(Object.fromEntries(items.map((i) => [i.key, i.totalMicroUsd]))).toEqual(want);
		expect(totals.totalMicroUsd).toBe(29_707_200n);
	});

	it("sorts by cost and widens the range to whole hours", async () => {
		const { items, fromMs, toMs } = await spendBy(books, {
			fromMs: START + 90 * MINUTE_MS,
			toMs: START + 100 * MINUTE_MS,
			groupBy: "provider",
		});
		expect([fromMs, toMs]).toEqual([START + HOUR_MS, START + 2 * HOUR_MS]);
		expect(items.map((i) => [i.key, i.totalMicroUsd])).toEqual([
			["local", 1_200_000n],
			["aws", 251_500n],
		]);
	});

	it("returns the same totals from months, days and hours: a range split anywhere is the sum of its parts", async () => {
		const whole = { fromMs: Date.UTC(2026, 9, 3, 5), toMs: Date.UTC(2027, 1, 7, 9) };
		const { totals } = await spendBy(books, { ...whole, groupBy: "team" });
		expect(totals.totalMicroUsd).toBe(29_707_200n);
		for (const cut of [START + HOUR_MS, START + 2 * HOUR_MS, Date.UTC(2026, 10, 11), Date.UTC(2026, 10, 11, 3)]) {
			const before = await spendBy(books, { fromMs: whole.fromMs, toMs: cut, groupBy: "region" });
			const after = await spendBy(books, { fromMs: cut, toMs: whole.toMs, groupBy: "day" });
			expect(before.totals.totalMicroUsd + after.totals.totalMicroUsd).toBe(29_707_200n);
			expect(before.totals.emissionsMilligrams + after.totals.emissionsMilligrams).toBe(totals.emissionsMilligrams);
		}
	});

	it("shows a data scientist only their own teams, without the company's idle hardware", async () => {
		const { items, totals } = await spendBy({ ...books, actor: scientist }, { fromMs: START, toMs: END, groupBy: "team" });
		expect(items.map((i) => i.key)).toEqual(["nlp"]);
		expect(totals).toMatchObject({ idleMicroUsd: 0n, totalMicroUsd: 503_000n });
		const noTeams = await spendBy({ ...books, actor: { ...scientist, teams: [] } }, { fromMs: START, toMs: END, groupBy: "team" });
		expect(noTeams.items).toEqual([]);
	});

	it.each([
		[START, START],
		[END, START],
		[Number.NaN, END],
		[0, 9e14],
	])("rejects the range %s to %s with a fix", async (fromMs, toMs) => {
		await expect(spendBy(books, { fromMs, toMs, groupBy: "team" })).rejects.toMatchObject({ code: "invalid_input" });
	});
});

describe("spendByDay", () => {
	it("lists every day of the range, with zeros for days without charges", async () => {
		const days = await spendByDay(books, { fromMs: Date.UTC(2026, 10, 9), toMs: Date.UTC(2026, 10, 12) });
		expect(days.map((d) => [new Date(d.dayStartMs).toISOString().slice(0, 10), d.totalMicroUsd])).toEqual([
			["2026-11-09", 0n],
			["2026-11-10", 17_707_200n],
			["2026-11-11", 12_000_000n],
		]);
	});
});

describe("labeled estimates", () => {
	it("spot: 1,006,000 on demand − 404,200 paid = 601,800 saved", async () => {
		expect(await spotSavings(books, { fromMs: START, toMs: END })).toEqual({
			paidMicroUsd: 404_200n,
			onDemandMicroUsd: 1_006_000n,
			savedMicroUsd: 601_800n,
			gpuMs: BigInt(HOUR_MS),
			estimate: "same_time_at_on_demand_price_when_taken",
		});
	});

	it("lost work: 404,200 for the interrupted spot attempt", async () => {
		expect(await lostWork(books, { fromMs: START, toMs: END })).toEqual({
			items: [{ state: "interrupted", attempts: 1, ownedMicroUsd: 0n, cloudMicroUsd: 404_200n, gpuMs: BigInt(HOUR_MS) }],
			totalMicroUsd: 404_200n,
			estimate: "whole_attempts_checkpoints_not_deducted",
		});
		expect((await lostWork({ ...books, actor: scientist }, { fromMs: START, toMs: END })).items).toEqual([]);
	});

	it("month forecast: none from a single day, but the amount spent so far is reported", async () => {
		expect(await monthForecast(books)).toMatchObject({
			spentCloudMicroUsd: 907_200n,
			spentTotalMicroUsd: 29_707_200n,
			cloud: null,
			total: null,
		});
	});
});

/** Runs in order: the import test stores the rates for the later tests. */
describe("spendInCurrency", () => {
	const query = { fromMs: START, toMs: END, groupBy: "team" } as const;

	it("fails without rates, naming currency and day; USD needs none", async () => {
		await expect(spendInCurrency(books, { ...query, currency: "EUR" })).rejects.toThrow(/No exchange rate for EUR on 2026-11-1[01]/);
		await expect(setReportingCurrency(books, { currency: "EUR" })).rejects.toThrow("no exchange rates for EUR");
		expect(await spendInCurrency(books, { ...query, currency: "USD" })).toEqual(await spendBy(books, query));
	});

	it("imports rates once: the same file again changes nothing, a different rate replaces the old one, future rates are rejected", async () => {
		const take = (text: string) => importRates(books, { text, message: "ECB" });
		const file = "Date,USD,GBP,\n2026-11-11,1.25,0.8,\n2026-11-09,1.6,0.8,\n";
		const span = { from: "2026-11-09", to: "2026-11-11", currencies: ["EUR", "GBP"] };
		expect(await take(file)).toEqual({ ...span, added: 4, replaced: 0, unchanged: 0 });
		expect(await take(file)).toEqual({ ...span, added: 0, replaced: 0, unchanged: 4 });
		expect(await take("date,currency,rate\n2026-11-09,GBP,0.7\n")).toMatchObject({ added: 0, replaced: 1, unchanged: 0 });
		await expect(take("date,currency,rate\n2027-01-01,GBP,0.7\n")).rejects.toThrow("2027-01-01, which is in the future");
		await expect(importRates({ ...books, actor: scientist }, { text: file, message: "ECB" })).rejects.toMatchObject({ code: "forbidden" });
	});

	it("converts each day at the last rate on or before it: 17,707,200 ÷ 1.6 on the 10th + 12,000,000 ÷ 1.25 on the 11th", async () => {
		await setReportingCurrency(books, { currency: "EUR" });
		const byDay = await spendInCurrency(books, { ...query, groupBy: "day" });
		expect(byDay.items.map((item) => [item.key, "converted" in item ? item.converted.totalMicro : null])).toEqual([
			["2026-11-10", 11_067_000n],
			["2026-11-11", 9_600_000n],
		]);
		expect(byDay).toMatchObject({ rates: { currency: "EUR", from: "2026-11-09", to: "2026-11-11", sources: ["ECB"] } });
	});

	it.each(["team", "project", "capacityType", "week", "month"] as const)(
		"by %s: leaves dollars unchanged, and parts add up",
		async (groupBy) => {
			const [inEuros, inDollars] = await Promise.all([
				spendInCurrency(books, { ...query, groupBy }),
				spendBy(books, { ...query, groupBy }),
			]);
			expect(inEuros.items.map(({ key, totalMicroUsd }) => [key, totalMicroUsd])).toEqual(
				inDollars.items.map(({ key, totalMicroUsd }) => [key, totalMicroUsd]),
			);
			if (!("rates" in inEuros)) throw new Error("not converted");
			expect(inEuros.totals.converted.totalMicro).toBe(inEuros.items.reduce((sum, { converted }) => sum + converted.totalMicro, 0n));
			expect(inEuros.totals.converted.totalMicro).toBe(20_667_000n);
		},
	);
});
