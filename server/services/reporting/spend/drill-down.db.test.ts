import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SPEND_GROUPS } from "#server/contract/inputs/spend.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import type { Actor } from "#server/services/core/context.ts";
import { setLedgerZone } from "#server/services/core/ledger-calendar.ts";
import { ledgerCheck } from "#server/services/ledger/charge/check.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import * as test from "#server/services/ledger/charge/testing/books.ts";
import { spendByJob } from "./by-job.ts";
import { listCharges } from "./charges.ts";
import type { SpendFilters } from "./filters.ts";
import { bucketForRange, spendSeries } from "./series.ts";
import { spendBy } from "./spend-by.ts";

/**
 * A ledger shared by all tests, in Berlin's calendar. 2 owned GPUs at $0.60/h from 2026-11-10T10:00Z on. Ten machines at
 * $3.60/h from 2026-11-28T10:00Z on, one every 6 h, each running 90 minutes (5,400,000 µ$): three for nlp in eu-west-1 on
 * demand, seven for risk in us-east-1 on spot. The last starts at 2026-11-30T16:00Z. An eleventh, for risk, runs from
 * 2026-11-30T22:00Z for 3 h across Berlin's month boundary at 23:00Z: 3,600,000 and 7,200,000 µ$.
 */
let books: test.Books;
let spanning = "";
const FROM = Date.UTC(2026, 10, 1);
const TO = Date.UTC(2026, 11, 3);
const NLP = { team: "nlp", project: "chat", class: "experimental", region: "eu-west-1", capacityType: "on_demand" } as const;

beforeAll(async () => {
	books = await test.openBooks();
	await setLedgerZone(books, "Europe/Berlin");
	await test.addPool(books, { gpus: 2 });
	books.clock.advance(Date.UTC(2026, 10, 28, 10) - books.clock.nowMs());
	for (let n = 0; n < 11; n++) {
		const machine = await test.addMachine(books, { microUsdPerHour: 3_600_000n, ...(n % 4 === 1 ? NLP : {}) });
		books.clock.advance(n === 10 ? 3 * HOUR_MS : 90 * MINUTE_MS);
		await test.terminate(books, machine.instanceId);
		await meterAll(books);
		if (n === 10) spanning = machine.jobId;
		else books.clock.advance(6 * HOUR_MS - 90 * MINUTE_MS);
	}
	books.clock.advance(Date.UTC(2026, 11, 2, 10) - books.clock.nowMs());
	await meterAll(books);
});
afterAll(async () => {
	const check = await ledgerCheck(books);
	await books.database.drop();
	expect(check.differences).toEqual([]);
});

const scientist: Actor = { kind: "person", accountId: "usr_1", name: "S", role: "data_scientist", teams: ["nlp"], via: "session" };
const range = { fromMs: FROM, toMs: TO };

/** Reads all pages of a selection, three charges at a time. */
async function allCharges(filters: SpendFilters, more: { jobId?: string } = {}, ctx = books as Parameters<typeof listCharges>[0]) {
	const items: Awaited<ReturnType<typeof listCharges>>["items"] = [];
	let pages = 0;
	for (let cursor: string | null | undefined; cursor !== null && pages < 1_000; pages++) {
		const page = await listCharges(ctx, { ...range, filters, limit: 100, ...more, ...(cursor === undefined ? {} : { cursor }) });
		items.push(...page.items);
		cursor = page.nextCursor;
	}
	return items;
}

describe("filters", () => {
	it.each([
		["one dimension of a slice", { team: ["nlp"] }, 3n * 5_400_000n],
		["two values of it", { team: ["nlp", "risk"] }, 10n * 5_400_000n + 10_800_000n],
		["its own dimension slice", { region: ["eu-west-1"] }, 3n * 5_400_000n],
		["two dimensions, from the rollups", { region: ["us-east-1"], project: ["fraud"] }, 7n * 5_400_000n + 10_800_000n],
		["a value without charges", { region: ["eu-west-1"], project: ["fraud"] }, 0n],
		["a capacity type and a kind", { capacityType: ["spot"], kind: ["compute"] }, 7n * 5_400_000n + 10_800_000n],
		["an empty list, which keeps all", { team: [], site: ["aws"] }, 10n * 5_400_000n + 10_800_000n],
	] as [string, SpendFilters, bigint][])("keep %s, in every grouping", async (_, filters, want) => {
		for (const groupBy of SPEND_GROUPS) {
			const { totals, items } = await spendBy(books, { ...range, groupBy, filters });
			expect([groupBy, totals.totalMicroUsd]).toEqual([groupBy, want]);
			expect(items.reduce((sum, i) => sum + i.totalMicroUsd, 0n)).toBe(want);
		}
	});

	it("by site and by kind", async () => {
		const site = await spendBy(books, { ...range, groupBy: "site", filters: { team: ["risk", "nlp"] } });
		expect(site.items.map((i) => [i.key, i.totalMicroUsd])).toEqual([["aws", 64_800_000n]]);
		const kind = await spendBy(books, { ...range, groupBy: "kind", filters: { site: ["local"] } });
		expect(kind.items.map((i) => i.key)).toEqual(["idle"]);
	});
});

describe("a range that begins and ends mid-day", () => {
	const hour = (h: number) => Date.UTC(2026, 10, 28) + h * HOUR_MS;
	it.each([
		["its first day nearly whole", hour(1), hour(50)],
		["its last day nearly whole", hour(20), hour(70)],
		["both", hour(12), hour(69)],
		["within one day, most of it", hour(25), hour(46)],
		["within one day, little of it", hour(34), hour(36)],
		["a team with charges only in the removed hours", hour(18), hour(40)],
		["over the turn of Berlin's month, into the job that spans it", hour(40), hour(72)],
	])("%s: matches the sums and groups of its charges, in every grouping and with filters", async (_, fromMs, toMs) => {
		for (const filters of [{}, { team: ["risk"] }, { region: ["us-east-1"], project: ["fraud"] }] as SpendFilters[])
			for (const groupBy of ["team", "region", "capacityType", "project"] as const) {
				const charges = (await listCharges(books, { fromMs, toMs, filters, limit: 500 })).items;
				const groups = Map.groupBy(charges, (c) => c.dimensions[groupBy]);
				const want = [...groups].map(([key, of]) => [key, of.reduce((sum, c) => sum + c.effectiveMicroUsd, 0n)]);
				const { items } = await spendBy(books, { fromMs, toMs, groupBy, filters });
				expect(items.map((i) => [i.key, i.totalMicroUsd]).toSorted()).toEqual(want.toSorted());
			}
	});
});

describe("spendSeries", () => {
	it("uses Berlin's days: 30 November is 0.5 + 1.5 + 1.5 + 1 h at $3.60 = 16,200,000, and 1 December the last machine's other 2 h = 7,200,000", async () => {
		const filters = { team: ["risk"] };
		const { points, zone } = await spendSeries(books, {
			fromMs: Date.UTC(2026, 10, 29, 23),
			toMs: Date.UTC(2026, 11, 1, 23),
			bucket: "day",
			filters,
		});
		expect(zone).toBe("Europe/Berlin");
		expect(points.map((p) => [new Date(p.fromMs).toISOString().slice(0, 13), p.totalMicroUsd])).toEqual([
			["2026-11-29T23", 1_800_000n + 2n * 5_400_000n + 3_600_000n],
			["2026-11-30T23", 7_200_000n],
		]);
	});

	it.each(["day", "week", "month"] as const)("by %s adds up to the total, with zeros for empty buckets", async (bucket) => {
		const { points } = await spendSeries(books, { ...range, bucket });
		const { totals } = await spendBy(books, { ...range, groupBy: "team" });
		expect(points.reduce((sum, p) => sum + p.totalMicroUsd, 0n)).toBe(totals.totalMicroUsd);
		expect(points[0]?.totalMicroUsd === 0n).toBe(bucket !== "month");
		for (const [i, p] of points.entries()) if (i > 0) expect(p.fromMs).toBe(points[i - 1]?.toMs);
	});

	it("uses days up to two months, weeks up to half a year, months beyond", () => {
		const of = (days: number) => bucketForRange({ fromMs: 0, toMs: days * DAY_MS });
		expect([of(1), of(62), of(92), of(184), of(365), of(731)]).toEqual(["day", "day", "week", "week", "month", "month"]);
	});
});

describe("listCharges", () => {
	it.each([
		["everything", {}],
		["one team", { team: ["nlp"] }],
		["two dimensions", { region: ["us-east-1"], capacityType: ["spot"] }],
		["idle hardware", { team: [""] }],
		["nothing", { region: ["eu-west-1"], team: ["risk"] }],
	] as [string, SpendFilters][])(
		"%s: all pages together make up the selection, newest first, and add up to the totals",
		async (_, filters) => {
			const items = await allCharges(filters);
			const { totals } = await listCharges(books, { ...range, filters, limit: 1 });
			expect(BigInt(items.length)).toBe(totals.charges);
			expect(items.reduce((sum, c) => sum + c.effectiveMicroUsd, 0n)).toBe(totals.effectiveMicroUsd);
			expect(totals.effectiveMicroUsd).toBe((await spendBy(books, { ...range, groupBy: "day", filters })).totals.totalMicroUsd);
			expect(new Set(items.map((c) => c.id)).size).toBe(items.length);
			expect(items.map((c) => c.periodStartMs)).toEqual(items.map((c) => c.periodStartMs).toSorted((a, b) => b - a));
		},
	);

	it.each([
		["one month's", range],
		["many months', the newest without any", { fromMs: Date.UTC(2025, 10, 1), toMs: Date.UTC(2027, 6, 1) }],
		["two parts of months'", { fromMs: Date.UTC(2026, 10, 28, 5), toMs: Date.UTC(2026, 11, 1, 7) }],
	])("returns the same charges in pages of two as in one page: %s", async (_, range) => {
		const filters = { team: ["nlp"] };
		const [whole] = [await listCharges(books, { ...range, filters, limit: 500 })];
		const ids: string[] = [];
		for (let cursor: string | null | undefined; cursor !== null; ) {
			const page = await listCharges(books, { ...range, filters, limit: 2, ...(cursor === undefined ? {} : { cursor }) });
			ids.push(...page.items.map((c) => c.id));
			cursor = page.nextCursor;
		}
		expect(ids).toEqual(whole.items.map((c) => c.id));
	});

	it("returns the charges of one job with their cause and job name, and nothing outside the range", async () => {
		const items = await allCharges({}, { jobId: spanning });
		expect(items.map((c) => [new Date(c.periodStartMs).toISOString().slice(0, 13), c.effectiveMicroUsd, c.cause.kind, c.jobName])).toEqual([
			["2026-12-01T00", 3_600_000n, "instance", "train"],
			["2026-11-30T23", 3_600_000n, "instance", "train"],
			["2026-11-30T22", 3_600_000n, "instance", "train"],
		]);
		const day = { fromMs: Date.UTC(2026, 11, 1), toMs: Date.UTC(2026, 11, 2) };
		const { totals, items: one } = await listCharges(books, { ...day, jobId: spanning });
		expect([totals.charges, totals.effectiveMicroUsd, one.length]).toEqual([1n, 3_600_000n, 1]);
	});

	it("shows a data scientist only their own teams' charges, regardless of filters", async () => {
		const ctx = { ...books, actor: scientist };
		expect(new Set((await allCharges({}, {}, ctx)).map((c) => c.dimensions.team))).toEqual(new Set(["nlp"]));
		expect(await allCharges({ team: ["risk"] }, {}, ctx)).toEqual([]);
		expect(await allCharges({}, { jobId: spanning }, ctx)).toEqual([]);
		expect((await listCharges({ ...ctx, actor: { ...scientist, teams: [] } }, range)).totals.charges).toBe(0n);
	});

	it("rejects a cursor that it did not issue", async () => {
		await expect(listCharges(books, { ...range, cursor: "nonsense" })).rejects.toMatchObject({ code: "invalid_input" });
	});
});

describe("spendByJob", () => {
	it("sorts by cost over two months: the job that spans both costs 3,600,000 + 7,200,000 = 10,800,000 µ$", async () => {
		const { items, fromMs, toMs, nextCursor } = await spendByJob(books, range);
		expect([new Date(fromMs).toISOString(), new Date(toMs).toISOString()]).toEqual([
			"2026-10-31T23:00:00.000Z",
			"2026-12-31T23:00:00.000Z",
		]);
		expect(items[0]).toMatchObject({ key: spanning, name: "train", team: "risk", totalMicroUsd: 10_800_000n });
		expect(items.slice(1).map((i) => i.totalMicroUsd)).toEqual(Array.from({ length: 10 }, () => 5_400_000n));
		expect(nextCursor).toBeNull();
	});

	it("counts only 3,600,000 µ$ of that job in November, so it comes last", async () => {
		const { items } = await spendByJob(books, { fromMs: FROM, toMs: Date.UTC(2026, 10, 20) });
		expect([items.length, items.at(-1)?.key, items.at(-1)?.totalMicroUsd]).toEqual([11, spanning, 3_600_000n]);
	});

	it("returns the same jobs in pages of three as in one page, also with filters", async () => {
		for (const filters of [{}, { team: ["risk"] }, { project: ["chat"], class: ["experimental" as const] }]) {
			const whole = await spendByJob(books, { ...range, filters, limit: 100 });
			const keys: string[] = [];
			for (let cursor: string | null | undefined; cursor !== null; ) {
				const page = await spendByJob(books, { ...range, filters, limit: 3, ...(cursor === undefined ? {} : { cursor }) });
				keys.push(...page.items.map((i) => i.key));
				cursor = page.nextCursor;
			}
			expect(keys).toEqual(whole.items.map((i) => i.key));
			expect(keys.length).toBe({ risk: 8, chat: 3 }[(filters.team ?? filters.project)?.[0] ?? ""] ?? 11);
		}
	});

	it("shows a data scientist only their own teams' jobs, and names the filters that sums of jobs do not support", async () => {
		const { items } = await spendByJob({ ...books, actor: scientist }, range);
		expect(items.map((i) => i.team)).toEqual(["nlp", "nlp", "nlp"]);
		await expect(spendByJob(books, { ...range, filters: { region: ["us-east-1"] } })).rejects.toMatchObject({
			code: "invalid_input",
			fields: [{ path: "region" }],
		});
		await expect(spendByJob(books, { ...range, cursor: "nonsense" })).rejects.toMatchObject({ code: "invalid_input" });
	});
});
