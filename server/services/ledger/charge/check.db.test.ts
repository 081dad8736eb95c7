import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ChargeDraft } from "#server/accounting/amounts.ts";
import { monthOfKey } from "#server/accounting/calendar.ts";
import { calendarOf } from "#server/accounting/zone.ts";
import { charge, jobMonth, rollup } from "#server/db/schema/charge.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { ledgerCalendar, setLedgerZone } from "#server/services/core/ledger-calendar.ts";
import { ledgerCheck } from "./check.ts";
import { meterAll } from "./meter.ts";
import { postCharges } from "./post-charges.ts";
import { aCharge } from "./testing/a-charge.ts";
import * as test from "./testing/books.ts";

let books: test.Books;
beforeEach(async () => {
	books = await test.openBooks();
});
afterEach(() => books.database.drop());

const post = (drafts: ChargeDraft[]) => books.db.transaction((tx) => postCharges(tx, drafts, books.clock.nowMs()));
const bucketsOf = async (granularity: "hour" | "day" | "month") =>
	(await books.db.select().from(rollup).orderBy(rollup.bucketStart))
		.filter((r) => r.granularity === granularity)
		.map((r) => [r.bucketStart.toISOString().slice(0, 16), r.effectiveMicroUsd]);

describe("the ledger in a time zone", () => {
	it("sums Berlin's day of 23 hours at $1/h to 23,000,000 µ$ on 2026-03-29 and its day of 25 to 25,000,000 µ$ on 2026-10-25, and the check agrees", async () => {
		await setLedgerZone(books, "Europe/Berlin");
		const machine = await test.addMachine(books);
		for (const day of ["2026-03-28T00:00Z", "2026-10-24T00:00Z"]) {
			const fromMs = Date.parse(day);
			await post(Array.from({ length: 72 }, (_, h) => aCharge(machine, fromMs + h * HOUR_MS, fromMs + (h + 1) * HOUR_MS)));
		}
		const days = await bucketsOf("day");
		expect(days).toContainEqual(["2026-03-28T23:00", 23_000_000n]);
		expect(days).toContainEqual(["2026-10-24T22:00", 25_000_000n]);
		expect((await ledgerCheck(books)).differences).toEqual([]);
	});

	it("splits an hour over Berlin's change of month, 22:00 to 24:00 UTC on 2026-11-30: $1 in November and $1 in December, in rollups and in the job's months", async () => {
		await setLedgerZone(books, "Europe/Berlin");
		const machine = await test.addMachine(books);
		const at = Date.UTC(2026, 10, 30, 22);
		await post([aCharge(machine, at, at + HOUR_MS), aCharge(machine, at + HOUR_MS, at + 2 * HOUR_MS)]);
		const { fromMs, toMs } = monthOfKey("2026-11", calendarOf("Europe/Berlin")) ?? { fromMs: 0, toMs: 0 };
		const months = await books.db.select().from(jobMonth).orderBy(jobMonth.monthStart);
		expect(months.map((m) => [m.monthStart.getTime(), m.jobId, m.team, m.effectiveMicroUsd, m.several, m.embodiedUnknownGpuMs])).toEqual([
			[fromMs, machine.jobId, "risk", 1_000_000n, true, BigInt(HOUR_MS)],
			[toMs, machine.jobId, "risk", 1_000_000n, true, BigInt(HOUR_MS)],
		]);
		expect((await bucketsOf("month")).map(([, sum]) => sum)).toEqual([1_000_000n, 1_000_000n]);
		expect((await ledgerCheck(books)).differences).toEqual([]);
	});

	it("splits the hour from 18:00 UTC at Kolkata's midnight: a charge of 18:20 to 19:00 becomes 10 min = 166,666 µ$ and 30 min = 500,000 µ$", async () => {
		await setLedgerZone(books, "Asia/Kolkata");
		const machine = await test.addMachine(books);
		const at = Date.UTC(2026, 10, 30, 18, 20);
		await post([aCharge(machine, at, at + 40 * MINUTE_MS)]);
		const rows = await books.db.select().from(charge).orderBy(charge.periodStart);
		expect(rows.map((c) => [c.periodStart.toISOString().slice(11, 16), c.effectiveMicroUsd])).toEqual([
			["18:20", 166_666n],
			["18:30", 500_000n],
		]);
		expect(await bucketsOf("hour")).toEqual([
			["2026-11-30T18:00", 166_666n],
			["2026-11-30T18:30", 500_000n],
		]);
		expect((await bucketsOf("month")).map(([start]) => start)).toEqual(["2026-10-31T18:30", "2026-11-30T18:30"]);
		expect((await ledgerCheck(books)).differences).toEqual([]);
	});

	it.each(["Atlantic/Azores", "Australia/Lord_Howe", "America/New_York", "UTC"])(
		"%s: charges over both clock changes add up",
		async (zone) => {
			await setLedgerZone(books, zone);
			const machine = await test.addMachine(books);
			for (const day of [
				"2026-03-07T00:00Z",
				"2026-03-28T00:00Z",
				"2026-04-04T00:00Z",
				"2026-10-03T00:00Z",
				"2026-10-24T00:00Z",
				"2026-10-31T00:00Z",
			]) {
				const fromMs = Date.parse(day);
				await post(Array.from({ length: 48 }, (_, h) => aCharge(machine, fromMs + h * HOUR_MS, fromMs + (h + 1) * HOUR_MS)));
			}
			const check = await ledgerCheck(books);
			expect(check.differences).toEqual([]);
			expect(check.totals.month).toBe(288_000_000n);
		},
	);

	it("can be chosen before the first charge, by callers who may change rates, and never after", async () => {
		expect((await ledgerCalendar(books.db)).zone).toBe("UTC");
		const scientist = { kind: "person", accountId: "usr_1", name: "S", role: "data_scientist", teams: ["risk"], via: "session" } as const;
		await expect(setLedgerZone({ ...books, actor: scientist }, "Europe/Berlin")).rejects.toMatchObject({ code: "forbidden" });
		await expect(setLedgerZone(books, "Europe/Atlantis")).rejects.toMatchObject({ code: "invalid_input" });
		await setLedgerZone(books, "America/New_York");
		await setLedgerZone(books, "Europe/Berlin");
		const machine = await test.addMachine(books);
		await post([aCharge(machine, test.T0, test.T0 + HOUR_MS)]);
		await expect(setLedgerZone(books, "UTC")).rejects.toMatchObject({
			code: "conflict",
			message: expect.stringContaining("Europe/Berlin"),
		});
		expect((await ledgerCalendar(books.db)).zone).toBe("Europe/Berlin");
	});

	it("is either chosen before a concurrent first charge or rejected: the sums fit the calendar in both cases", async () => {
		const machine = await test.addMachine(books);
		const at = Date.UTC(2026, 10, 30, 23);
		const [posted, chosen] = await Promise.allSettled([post([aCharge(machine, at, at + HOUR_MS)]), setLedgerZone(books, "Europe/Berlin")]);
		expect(posted.status).toBe("fulfilled");
		expect((await ledgerCalendar(books.db)).zone).toBe(chosen.status === "fulfilled" ? "Europe/Berlin" : "UTC");
		expect((await ledgerCheck(books)).differences).toEqual([]);
	});
});

describe("ledgerCheck", () => {
	beforeEach(async () => {
		const { instanceId } = await test.addMachine(books);
		books.clock.advance(2 * HOUR_MS);
		await test.terminate(books, instanceId);
		await meterAll(books);
	});

	it("counts the entries, and finds equal sums of effective cost everywhere", async () => {
		const { ok, charges, totals } = await ledgerCheck(books);
		expect([ok, charges]).toEqual([true, await books.db.$count(charge)]);
		expect(new Set(Object.values(totals))).toEqual(new Set([808_400n]));
	});

	it.each([
		["a job's month", "update job_month set embodied_unknown_gpu_ms = embodied_unknown_gpu_ms + 1", "job_month", "embodied_unknown_gpu_ms"],
		["a job's month of another team", "update job_month set team = 'nlp'", "job_month", "effective_micro_usd"],
		[
			"the cloud cost of a job's month",
			"update job_month set cloud_micro_usd = cloud_micro_usd - 1 where job_id = (select min(job_id) from job_month)",
			"job_month",
			"cloud_micro_usd",
		],
		["an attempt's GPU time", "update attempt set gpu_ms = gpu_ms + 1 where id = (select min(id) from attempt)", "attempt", "gpu_ms"],
		["a job's total", "update job set cost_micro_usd = cost_micro_usd - 1", "job", "cost_micro_usd"],
		[
			"a rollup's unknown emissions",
			"update rollup set market_unknown_gpu_ms = 0 where granularity = 'hour'",
			"hour",
			"market_unknown_gpu_ms",
		],
		[
			"a rollup's measured energy",
			"update rollup set measured_energy_milli_wh = 7 where granularity = 'month'",
			"month",
			"measured_energy_milli_wh",
		],
		[
			"a slice",
			"update rollup_slice set billed_micro_usd = 0 where dimension = 'region' and granularity = 'month'",
			"slice",
			"billed_micro_usd",
		],
		["a job of several months without the mark", "update job_month set several = true", "job", "several"],
		[
			"a span for a job of one month",
			"insert into job_span select job_id, team, month_start, month_start, 1 from job_month limit 1",
			"span",
			"effective_micro_usd",
		],
		["a sum of attempts", "update attempt_sum set saved_ms = 5 where sum_of = 'burst'", "work", "saved_ms"],
		["a missing rollup", "delete from rollup where granularity = 'day'", "day", "charges"],
		[
			"a rollup of a day that starts at another hour",
			"update rollup set bucket_start = bucket_start + interval '5 hours' where granularity = 'day'",
			"day",
			"bucket_start",
		],
	])("finds %s", async (_, statement, granularity, column) => {
		await books.database.sql.unsafe(statement);
		const { ok, differences } = await ledgerCheck(books);
		expect(ok).toBe(false);
		expect(differences).toContainEqual(expect.objectContaining({ granularity, column }));
		expect(new Set(differences.map((d) => d.granularity))).toEqual(new Set([granularity]));
	});
});

describe("sums of parts", () => {
	const zones = ["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/New_York"];
	const drafts = fc.array(
		fc.record({ after: fc.integer({ min: 0, max: 65 * DAY_MS }), lengthMs: fc.integer({ min: 1, max: 5 * HOUR_MS }), job: fc.nat(2) }),
		{ minLength: 1, maxLength: 12 },
	);

	it.each(zones)("%s: hours, days, months, jobs and jobs' months add up to the charges, and none is without a cause", async (zone) => {
		await setLedgerZone(books, zone);
		const machines = [await test.addMachine(books), await test.addMachine(books), await test.addMachine(books, { team: "nlp" })];
		await fc.assert(
			fc.asyncProperty(drafts, async (list) => {
				await post(
					list.flatMap(({ after, lengthMs, job }) => {
						const machine = machines[job];
						if (!machine) throw new Error("no such machine");
						const fromMs = Date.UTC(2026, 0) + after;
						const pieces: ChargeDraft[] = [];
						for (let at = fromMs; at < fromMs + lengthMs; ) {
							const end = Math.min(fromMs + lengthMs, (Math.floor(at / HOUR_MS) + 1) * HOUR_MS);
							pieces.push({
								...aCharge(machine, at, end),
								dimensions: { ...aCharge(machine, at, end).dimensions, team: job === 2 ? "nlp" : "risk" },
							});
							at = end;
						}
						return pieces;
					}),
				);
				const check = await ledgerCheck(books);
				expect(check.differences).toEqual([]);
				expect(new Set(Object.values(check.totals)).size).toBe(1);
			}),
			{ numRuns: 5 },
		);
		const causeless = await books.database
			.sql`select 1 from charge where num_nonnulls(instance_id, allocation_id, pool_id, bill_line_id, artifact_id) <> 1`;
		expect(causeless).toHaveLength(0);
	});
});
