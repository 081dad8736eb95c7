import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UTC } from "#server/accounting/zone.ts";
import { SPEND_DIMENSIONS } from "#server/contract/inputs/spend.ts";
import { job } from "#server/db/schema/job.ts";
import { WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import * as test from "#server/services/ledger/charge/testing/books.ts";
import { carbonBy } from "../carbon/carbon-by.ts";
import { carbonVariance } from "../carbon/variance.ts";
import { listCharges } from "./charges.ts";
import { previousRange } from "./comparison.ts";
import type { SpendFilters } from "./filters.ts";
import { spendOptions } from "./options.ts";
import { getOwnMonth } from "./own-month.ts";
import { spendPage } from "./page.ts";
import { spendBy } from "./spend-by.ts";
import { spendVariance } from "./variance.ts";

/**
 * 2 owned GPUs from 2026-11-10T10:00Z. A machine at $3.60/h for 1 h at noon on each of ten days: 3,600,000 µ$ each,
 * alternating between risk on spot and nlp on demand. The third is reclaimed and the fifth fails: each loses 3,600,000 µ$.
 */
let books: test.Books;
const MONTH = { fromMs: Date.UTC(2026, 10, 1), toMs: Date.UTC(2026, 11, 1) };

beforeAll(async () => {
	books = await test.openBooks();
	await test.addPool(books, { gpus: 2 });
	books.clock.advance(2 * HOUR_MS);
	for (let n = 0; n < 10; n++) {
		const other = n % 2 === 1 ? { team: "nlp", project: "chat", region: "eu-west-1", capacityType: "on_demand" as const } : {};
		const machine = await test.addMachine(books, { microUsdPerHour: 3_600_000n, ...other });
		books.clock.advance(HOUR_MS);
		if (n === 2 || n === 4) await test.endAttempt(books, machine.attemptId, n === 2 ? "interrupted" : "failed");
		await test.terminate(books, machine.instanceId);
		await meterAll(books);
		books.clock.advance(DAY_MS - HOUR_MS);
	}
	await meterAll(books);
});
afterAll(() => books.database.drop());

const chargesOf = async (filters: SpendFilters, more: Partial<Parameters<typeof listCharges>[1]> = {}) =>
	(await listCharges(books, { ...MONTH, filters, limit: 1, ...more })).totals.effectiveMicroUsd;

describe("every number matches its charges", () => {
	it.each(SPEND_DIMENSIONS)("by %s: used, idle and cloud of each group are the sums of the charges with these filters", async (groupBy) => {
		const { items } = await spendBy(books, { ...MONTH, groupBy });
		expect(items.length).toBeGreaterThan(0);
		for (const item of items) {
			const group = { [groupBy]: [item.key] } as SpendFilters;
			const within = async (part: SpendFilters) => {
				for (const [name, values] of Object.entries(part)) if (name in group && !values?.some((v) => v === item.key)) return 0n;
				return chargesOf({ ...part, ...group });
			};
			expect(await chargesOf(group)).toBe(item.totalMicroUsd);
			expect(await within({ capacityType: ["owned"], class: [...WORKLOAD_CLASSES] })).toBe(item.ownedMicroUsd);
			expect(await within({ capacityType: ["owned"], class: [""] })).toBe(item.idleMicroUsd);
			const cloud = [];
			for (const capacityType of ["spot", "on_demand", "reserved"] as const) cloud.push(await within({ capacityType: [capacityType] }));
			expect(cloud.reduce((a, b) => a + b, 0n)).toBe(item.cloudMicroUsd);
		}
	});

	it("lost work: the reclaimed machine and the failed one cost 3,600,000 µ$ each", async () => {
		const { lost } = await spendPage(books, MONTH);
		expect(lost.items.map((i) => [i.state, i.cloudMicroUsd])).toEqual([
			["failed", 3_600_000n],
			["interrupted", 3_600_000n],
		]);
		for (const { state, cloudMicroUsd } of lost.items) expect(await chargesOf({}, { lost: state })).toBe(cloudMicroUsd);
		expect(await chargesOf({}, { lost: "any" })).toBe(lost.totalMicroUsd);
		expect(await chargesOf({ capacityType: ["owned"] }, { lost: "any" })).toBe(0n);
		expect(await chargesOf({ team: ["nlp"] }, { lost: "any" })).toBe(0n);
	});

	it("a change in cost: its causes add up to the difference of the two ranges, and lost work is the cost of the two attempts", async () => {
		const range = { fromMs: Date.UTC(2026, 10, 12), toMs: Date.UTC(2026, 10, 16) };
		const found = await spendVariance(books, range);
		const [before, after] = await Promise.all(
			[found?.before, found?.after].map((r) => spendBy(books, { ...MONTH, ...r, groupBy: "team" })),
		);
		const change = (after?.totals.totalMicroUsd ?? 0n) - (before?.totals.totalMicroUsd ?? 0n);
		expect(Object.values(found?.byCause ?? {}).reduce((sum, part) => sum + part, 0n)).toBe(change);
		expect(found?.byCause.lost).toBe(7_200_000n);
		expect(found?.sentence).toMatch(/idle|new|more/);
		const filtered = await spendVariance(books, { ...range, filters: { team: ["nlp"] } });
		expect(filtered?.afterMicroUsd).toBe(await chargesOf({ team: ["nlp"] }, range));
	});

	it("a change in emissions: its causes add up to the difference of the two ranges, for the caller's teams only", async () => {
		const range = { fromMs: Date.UTC(2026, 10, 12), toMs: Date.UTC(2026, 10, 16) };
		const found = await carbonVariance(books, range);
		const [before, after] = await Promise.all(
			[found?.before, found?.after].map((r) => carbonBy(books, { ...MONTH, ...r, groupBy: "team" })),
		);
		const change = (after?.totals.totalMilligrams ?? 0n) - (before?.totals.totalMilligrams ?? 0n);
		expect(Object.values(found?.byCause ?? {}).reduce((sum, part) => sum + part, 0n)).toBe(change);
		expect([found?.afterMilligrams, found?.byCause.lost !== 0n]).toEqual([after?.totals.totalMilligrams, true]);
		const actor = { kind: "person", accountId: "a", name: "A", role: "data_scientist", teams: ["nlp"], via: "session" } as const;
		const own = await carbonVariance({ ...books, actor }, range);
		expect(own?.afterMilligrams).toBe(after?.items.find((item) => item.key === "nlp")?.totalMilligrams ?? 0n);
		expect(own?.parts.every(({ team }) => team === "nlp")).toBe(true);
	});

	it.each(SPEND_DIMENSIONS)(
		"carbon by %s: each group's emissions are the sum of its charges, with idle hardware separate",
		async (groupBy) => {
			const { items, totals } = await carbonBy(books, { ...MONTH, groupBy });
			const emitted = async (filters: SpendFilters, withoutIdle = false) => {
				const { totals: t } = await listCharges(books, { ...MONTH, filters, withoutIdle, limit: 1 });
				return [t.emissionsMilligrams, t.embodiedMilligrams, t.energyMilliWh, t.gpuMs, t.embodiedUnknownGpuMs];
			};
			const sum = (...sides: (typeof totals.idle)[]) => {
				const of = (name: keyof typeof totals.idle) => sides.reduce((all, side) => all + side[name], 0n);
				return [of("operationalMilligrams"), of("embodiedMilligrams"), of("energyMilliWh"), of("gpuMs"), of("embodiedUnknownGpuMs")];
			};
			expect(totals.idle.operationalMilligrams > 0n && totals.cloud.operationalMilligrams > 0n).toBe(true);
			for (const item of items) expect(await emitted({ [groupBy]: [item.key] }, true)).toEqual(sum(item.owned, item.cloud));
			expect(await emitted({ capacityType: ["owned"], class: [""] })).toEqual(sum(totals.idle));
			expect(await emitted({})).toEqual(sum(totals));
		},
	);

	it("without idle hardware: pages of three list the ten machines' charges, with their sum", async () => {
		const ids: string[] = [];
		let totals = 0n;
		for (let cursor: string | null | undefined; cursor !== null; ) {
			const page = await listCharges(books, { ...MONTH, withoutIdle: true, limit: 3, ...(cursor === undefined ? {} : { cursor }) });
			expect(page.items.every((c) => c.dimensions.kind === "compute")).toBe(true);
			ids.push(...page.items.map((c) => c.id));
			[cursor, totals] = [page.nextCursor, page.totals.effectiveMicroUsd];
		}
		expect([new Set(ids).size, totals]).toEqual([10, 36_000_000n]);
	});

	it("the chart: each day, week and month is the sum of its charges", async () => {
		for (const bucket of ["day", "week", "month"] as const) {
			const { series } = await spendPage(books, { ...MONTH, bucket, filters: { team: ["risk"] } });
			for (const { fromMs, toMs, totalMicroUsd } of series.points) {
				const span = { fromMs: Math.max(fromMs, MONTH.fromMs), toMs: Math.min(toMs, MONTH.toMs) };
				expect(await chargesOf({ team: ["risk"] }, span)).toBe(totalMicroUsd);
			}
		}
	});
});

describe("spendPage", () => {
	it("returns the start of the ledger, the last six months and the remaining days", async () => {
		const page = await spendPage(books, MONTH);
		expect(page.ledgerStartMs).toBe(Date.UTC(2026, 10, 10));
		expect(page.months.points.map((p) => new Date(p.fromMs).toISOString().slice(0, 7))).toEqual([
			...["2026-06", "2026-07", "2026-08", "2026-09", "2026-10", "2026-11"],
		]);
		expect(page.months.points.at(-1)?.totalMicroUsd).toBe(page.groups.totals.totalMicroUsd);
		const { days, total, spentTotalMicroUsd } = page.forecast;
		expect(days.map((d) => new Date(d.dayStartMs).getUTCDate())).toEqual([20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30]);
		const parts = days.map((d) => d.ownedMicroUsd + d.idleMicroUsd + d.reservedMicroUsd + d.spotMicroUsd + d.onDemandMicroUsd);
		const toCome = (total?.expectedMicroUsd ?? 0n) - spentTotalMicroUsd;
		// Each part of each day is rounded down to the micro-dollar.
		const lost = toCome - parts.reduce((a, b) => a + b, 0n);
		expect(lost >= 0n && lost < 5n * BigInt(days.length)).toBe(true);
		for (const d of days) expect(d.lowMicroUsd <= d.highMicroUsd).toBe(true);
	});

	it("compares with the previous range", async () => {
		const second = { fromMs: Date.UTC(2026, 10, 15), toMs: Date.UTC(2026, 10, 18) };
		const { before } = await spendPage(books, { ...second, groupBy: "team" });
		expect(before).toEqual(await spendBy(books, { fromMs: Date.UTC(2026, 10, 12), toMs: second.fromMs, groupBy: "team" }));
	});

	it("lists the filter options, most expensive first", async () => {
		const options = await spendOptions(books, MONTH);
		expect(new Set(options.team)).toEqual(new Set(["", "risk", "nlp"]));
		expect(new Set(options.capacityType)).toEqual(new Set(["owned", "spot", "on_demand"]));
		expect(new Set(options.site)).toEqual(new Set(["local", "aws"]));
	});
});

describe("previousRange", () => {
	const at = (text: string) => Date.parse(`${text}Z`);
	it.each([
		[
			"a whole month against the one before it",
			"2026-10-01T00:00",
			"2026-11-01T00:00",
			"2026-11-19T14:32",
			"2026-09-01T00:00",
			"2026-10-01T00:00",
		],
		[
			"a month to date against as much of the one before",
			"2026-11-01T00:00",
			"2026-11-20T00:00",
			"2026-11-19T14:32",
			"2026-10-01T00:00",
			"2026-10-19T14:00",
		],
		[
			"31 March to date against a shorter month, to its end",
			"2026-03-01T00:00",
			"2026-04-01T00:00",
			"2026-03-31T10:00",
			"2026-02-01T00:00",
			"2026-03-01T00:00",
		],
		["two months against two", "2026-09-01T00:00", "2026-11-01T00:00", "2026-11-19T14:32", "2026-07-01T00:00", "2026-09-01T00:00"],
		[
			"a week in progress against the same part of the week before",
			"2026-11-13T00:00",
			"2026-11-20T00:00",
			"2026-11-19T14:32",
			"2026-11-06T00:00",
			"2026-11-12T14:00",
		],
		[
			"past days against as many before",
			"2026-11-03T00:00",
			"2026-11-05T00:00",
			"2026-11-19T14:32",
			"2026-11-01T00:00",
			"2026-11-03T00:00",
		],
	])("%s", (_, from, to, now, wantFrom, wantTo) => {
		expect(previousRange({ fromMs: at(from), toMs: at(to) }, at(now), UTC)).toEqual({ fromMs: at(wantFrom), toMs: at(wantTo) });
	});

	it("is null for a range that has not begun", () => {
		expect(previousRange({ fromMs: at("2026-12-01T00:00"), toMs: at("2026-12-02T00:00") }, at("2026-11-19T14:32"), UTC)).toBeNull();
	});
});

describe("a data scientist's own month", () => {
	const as = (accountId: string, ...teams: string[]) => ({
		db: books.db,
		actor: { kind: "person", accountId, name: "S", role: "data_scientist", teams, via: "session" } as const,
	});

	it("adds up the caller's own jobs in their current teams", async () => {
		await books.db.update(job).set({ submittedBy: "account:usr_1" }).where(eq(job.team, "nlp"));
		const all = { totalMicroUsd: 18_000_000n, cloudMicroUsd: 18_000_000n, jobs: 5 };
		const none = { totalMicroUsd: 0n, cloudMicroUsd: 0n, jobs: 0 };
		expect(await getOwnMonth(as("usr_1", "nlp"), MONTH.fromMs)).toEqual(all);
		expect(await getOwnMonth(as("usr_1", "risk"), MONTH.fromMs)).toEqual(none);
		expect(await getOwnMonth(as("usr_1"), MONTH.fromMs)).toEqual(none);
		expect(await getOwnMonth(as("usr_2", "nlp"), MONTH.fromMs)).toEqual(none);
		expect(await getOwnMonth(as("usr_1", "nlp"), Date.UTC(2026, 11, 1))).toEqual(none);
	});
});
