import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hold } from "#server/db/schema/budget.ts";
import { job } from "#server/db/schema/job.ts";
import { seededRandom } from "#server/kernel/random.ts";
import { sampled } from "#server/kernel/testing/deep.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { finishAttempt } from "#server/services/work/attempt/finish.ts";
import { lockJobOf } from "#server/services/work/attempt/lock-job.ts";
import { placeHold } from "../budget/place-hold.ts";
import { chargesOf } from "./charges-of.ts";
import { ledgerCheck } from "./check.ts";
import { meterAll } from "./meter.ts";
import { settleAllocation, settleInstance } from "./settle.ts";
import * as test from "./testing/books.ts";

let books: test.Books;
beforeEach(async () => {
	books = await test.openBooks();
});
afterEach(async () => {
	const check = await ledgerCheck(books);
	await books.database.drop();
	expect(check.differences).toEqual([]);
});

/** Number of transactions waiting for a lock of another. */
const waiters = async ({ database }: test.Books) =>
	(await database.sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length;

const holdFor = (instanceId: string, amountMicroUsd: bigint, budgets = [test.aBudget()]) =>
	books.db.transaction((tx) => placeHold(tx, { holds: [{ instanceId, amountMicroUsd }], budgets, nowMs: books.clock.nowMs() }));

describe("metering instances", () => {
	it("charges g5.xlarge spot at $0.4042/h for 1,234 s: 404,200 × 1,234 / 3,600 = 138,550 µ$ on charges, instance and job, in 3 meterings", async () => {
		const { instanceId, jobId } = await test.addMachine(books);
		books.clock.advance(400 * SECOND_MS);
		await meterAll(books);
		books.clock.advance(777 * SECOND_MS);
		await meterAll(books);
		books.clock.advance(57 * SECOND_MS);
		await test.terminate(books, instanceId);
		await meterAll(books);
		expect(await test.chargedTo(books, { instanceId })).toBe(138_550n);
		expect((await test.readInstance(books, instanceId)).costMicroUsd).toBe(138_550n);
		const charged = await test.readJob(books, jobId);
		const charges = await chargesOf(books, jobId);
		expect(charged.costMicroUsd).toBe(138_550n);
		expect(charged.emissionsMilligrams).toBe(charges.reduce((sum, c) => sum + (c.emissionsMilligrams ?? 0n), 0n));
		expect(charged.emissionsMilligrams).toBeGreaterThan(0n);
		books.clock.advance(HOUR_MS);
		await meterAll(books);
		expect((await chargesOf(books, jobId)).length).toBe(charges.length);
	});

	it("splits 10:50 to 11:20 at $6/h into two charges: 10 min = 1,000,000 µ$ and 20 min = 2,000,000 µ$", async () => {
		books.clock.advance(50 * MINUTE_MS);
		const { instanceId, jobId } = await test.addMachine(books, { microUsdPerHour: 6_000_000n, onDemandMicroUsdPerHour: null });
		books.clock.advance(30 * MINUTE_MS);
		await test.terminate(books, instanceId);
		await settleInstance(books, instanceId);
		expect(
			(await chargesOf(books, jobId)).map((c) => [new Date(c.periodStartMs).toISOString(), c.effectiveMicroUsd, c.listMicroUsd]),
		).toEqual([
			["2026-11-10T10:50:00.000Z", 1_000_000n, 1_000_000n],
			["2026-11-10T11:00:00.000Z", 2_000_000n, 2_000_000n],
		]);
	});

	it("charges a machine of an unknown model and leaves its emissions unknown, not 0", async () => {
		const { instanceId, jobId } = await test.addMachine(books, { accelerator: "Mystery-1" });
		books.clock.advance(HOUR_MS);
		await settleInstance(books, instanceId);
		expect((await chargesOf(books, jobId)).map((c) => [c.effectiveMicroUsd, c.emissionsMilligrams])).toEqual([[404_200n, null]]);
	});

	it("adjusts charges by −100,000 µ$ when a termination at $3.60/h is learned 100 s late", async () => {
		const { instanceId, jobId } = await test.addMachine(books, { microUsdPerHour: 3_600_000n });
		books.clock.advance(600 * SECOND_MS);
		await meterAll(books);
		await test.terminate(books, instanceId, books.clock.nowMs() - 100 * SECOND_MS);
		await meterAll(books);
		expect((await chargesOf(books, jobId)).map((c) => [c.dimensions.kind, c.effectiveMicroUsd])).toEqual(
			expect.arrayContaining([
				["compute", 600_000n],
				["adjustment", -100_000n],
			]),
		);
		expect((await test.readInstance(books, instanceId)).costMicroUsd).toBe(500_000n);
	});

	it("charges a running machine again only after minOpenMs, and its end immediately", async () => {
		const { instanceId } = await test.addMachine(books);
		books.clock.advance(MINUTE_MS);
		expect((await meterAll(books, { minOpenMs: 5 * MINUTE_MS })).instances).toBe(1);
		books.clock.advance(MINUTE_MS);
		expect((await meterAll(books, { minOpenMs: 5 * MINUTE_MS })).instances).toBe(0);
		await test.terminate(books, instanceId);
		expect((await meterAll(books, { minOpenMs: 5 * MINUTE_MS })).instances).toBe(1);
		expect((await meterAll(books, { minOpenMs: 5 * MINUTE_MS })).instances).toBe(0);
	});

	it("charges every second once with eight concurrent meters and settlements, disks too, in small batches", async () => {
		// At $7.20 for a month of 720 hours: 10,000 µ$ an hour.
		const machine = { microUsdPerHour: 1_234_567n, diskMicroUsdPerMonth: 7_200_000n };
		const machines = await Promise.all(Array.from({ length: 25 }, () => test.addMachine(books, machine)));
		await test.addPool(books);
		const use = await test.addUse(books, { slots: [0, 1] });
		for (const step of [7, 1_800, 1_793]) {
			books.clock.advance(step * SECOND_MS);
			await Promise.all([
				...Array.from({ length: 5 }, () => meterAll(books, { batchSize: 4 })),
				...machines.slice(0, 3).map((m) => settleInstance(books, m.instanceId)),
			]);
		}
		await Promise.all([meterAll(books), settleAllocation(books, use.allocationId)]);
		for (const { instanceId } of machines) expect(await test.chargedTo(books, { instanceId })).toBe(1_244_567n);
		expect(await test.chargedTo(books, { allocationId: use.allocationId })).toBe(1_200_000n);
		expect(await test.chargedTo(books, { poolId: "gpu" })).toBe(1_200_000n);
	});

	it("locks in one order in the pool's meter and at the end of a job on it, so that they never deadlock", async () => {
		await test.addPool(books);
		const uses = await Promise.all([test.addUse(books, { slots: [0] }), test.addUse(books, { slots: [1] })]);
		await books.db.update(job).set({ state: "admitted" });
		books.clock.advance(HOUR_MS);
		for (const { jobId, attemptId, allocationId } of uses) {
			const meter = await books.db.transaction(async (tx) => {
				await lockJobOf(tx, attemptId);
				const racing = Promise.allSettled([meterAll(books)]);
				await expect.poll(() => waiters(books)).toBe(1);
				const ended = await finishAttempt(tx, { attemptId, exit: { code: 0, signal: null, error: null }, atMs: books.clock.nowMs() });
				expect(ended).toMatchObject({ state: "succeeded", jobId });
				return { racing };
			});
			expect(await meter.racing).toMatchObject([{ status: "fulfilled" }]);
			expect(await test.chargedTo(books, { allocationId })).toBe(600_000n);
		}
	});

	// Each table that one metering writes, in order, to cut it off at every point.
	it.each(["instance", "hold", "budget_period", "job", "attempt", "charge", "job_month", "rollup", "rollup_slice"])(
		"a meter that is cut off as it writes to %s leaves nothing behind, and the next one charges every second once",
		async (table) => {
			const { instanceId, jobId } = await test.addMachine(books, { diskMicroUsdPerMonth: 7_200_000n });
			await holdFor(instanceId, 5_000_000n);
			books.clock.advance(HOUR_MS);
			await books.database.sql.unsafe(`
				create function cut() returns trigger language plpgsql as $$ begin raise exception 'cut off'; end $$;
				create trigger cut before insert or update on ${table} for each row execute function cut()`);
			await expect(meterAll(books)).rejects.toThrow();
			expect(await test.countRows(books)).toEqual({ charges: 0, rollups: 0 });
			expect((await test.readInstance(books, instanceId)).meteredUntil).toBeNull();
			expect((await test.readHold(books, instanceId)).postedMicroUsd).toBe(0n);
			await books.database.sql.unsafe(`drop trigger cut on ${table}`);
			await meterAll(books);
			expect(await test.chargedTo(books, { instanceId })).toBe(414_200n);
			expect((await test.readHold(books, instanceId)).postedMicroUsd).toBe(414_200n);
			expect((await test.readJob(books, jobId)).costMicroUsd).toBe(414_200n);
			expect((await ledgerCheck(books)).differences).toEqual([]);
		},
	);
});

describe("metering holds", () => {
	it("splits a hold of 5,000,000 into posted 404,200 + voided 4,595,800: while it runs the budget holds the rest, at the end nothing", async () => {
		const { instanceId } = await test.addMachine(books);
		await holdFor(instanceId, 5_000_000n);
		expect(await test.readBudget(books, "cloud-month", "2026-11-01")).toEqual({ posted: 0n, held: 5_000_000n });
		books.clock.advance(30 * MINUTE_MS);
		await meterAll(books);
		expect(await test.readBudget(books, "cloud-month", "2026-11-01")).toEqual({ posted: 202_100n, held: 4_797_900n });
		books.clock.advance(30 * MINUTE_MS);
		await test.terminate(books, instanceId);
		await settleInstance(books, instanceId);
		expect(await test.readBudget(books, "cloud-month", "2026-11-01")).toEqual({ posted: 404_200n, held: 0n });
		expect(await test.readHold(books, instanceId)).toMatchObject({ state: "posted", postedMicroUsd: 404_200n, amountMicroUsd: 5_000_000n });
	});

	it("releases the whole hold of an instance that never existed, in either order of settling", async () => {
		const one = await test.addMachine(books, { launchedMs: null });
		const two = await test.addMachine(books, { launchedMs: null });
		await holdFor(one.instanceId, 3_000_000n);
		await holdFor(two.instanceId, 4_000_000n);
		await meterAll(books);
		expect(await test.readBudget(books, "cloud-month", "2026-11-01")).toEqual({ posted: 0n, held: 7_000_000n });
		await test.terminate(books, one.instanceId);
		await test.terminate(books, two.instanceId);
		await settleInstance(books, one.instanceId);
		await meterAll(books);
		expect(await test.readBudget(books, "cloud-month", "2026-11-01")).toEqual({ posted: 0n, held: 0n });
		expect((await books.db.select().from(hold)).map((h) => [h.state, h.postedMicroUsd])).toEqual([
			["voided", 0n],
			["voided", 0n],
		]);
	});

	it("posts the true 404,200 for a machine that exceeds its hold of 100,000, and never subtracts more than the hold from held", async () => {
		const { instanceId } = await test.addMachine(books);
		await holdFor(instanceId, 100_000n);
		const other = await test.addMachine(books, { launchedMs: null });
		await holdFor(other.instanceId, 250_000n);
		books.clock.advance(HOUR_MS);
		await meterAll(books);
		expect(await test.readBudget(books, "cloud-month", "2026-11-01")).toEqual({ posted: 404_200n, held: 250_000n });
		expect(await test.readHold(books, instanceId)).toMatchObject({ state: "pending", postedMicroUsd: 404_200n });
	});

	it("posts 2,000,000 µ$ to November and 1,000,000 µ$ to December for 23:30 to 00:15 at $4/h", async () => {
		await publishPolicy(books, {
			name: "default",
			message: "test",
			source: [
				...["apiVersion: spillway/v1", "kind: Policy", "metadata: { name: default }", "spec:", "  rules: []", "  budgets:"],
				...['    - { id: cloud-month, scope: "true", period: month, capUsd: 100, atCap: hold }'],
				...['    - { id: cloud-quarter, scope: "true", period: quarter, capUsd: 300, atCap: hold }'],
			].join("\n"),
		});
		books.clock.advance(Date.UTC(2026, 10, 30, 23, 30) - books.clock.nowMs());
		const { instanceId } = await test.addMachine(books, { microUsdPerHour: 4_000_000n });
		await holdFor(instanceId, 10_000_000n, [
			test.aBudget(),
			test.aBudget({ id: "cloud-quarter", period: "quarter", capMicroUsd: 300_000_000n }),
		]);
		books.clock.advance(45 * MINUTE_MS);
		await meterAll(books);
		expect(await test.readBudget(books, "cloud-month", "2026-11-01")).toEqual({ posted: 2_000_000n, held: 7_000_000n });
		expect(await test.readBudget(books, "cloud-month", "2026-12-01")).toEqual({ posted: 1_000_000n, held: 0n });
		expect(await test.readBudget(books, "cloud-quarter", "2026-10-01")).toEqual({ posted: 3_000_000n, held: 7_000_000n });
		await test.terminate(books, instanceId);
		await meterAll(books);
		expect(await test.readBudget(books, "cloud-month", "2026-11-01")).toEqual({ posted: 2_000_000n, held: 0n });
	});
});

describe("metering pools", () => {
	it("charges 4 GPUs at $0.60/h, 2 used for 30 of 90 min: 600,000 µ$ used + 3,000,000 µ$ idle = 3,600,000 µ$ owned", async () => {
		await test.addPool(books);
		const { allocationId, jobId } = await test.addUse(books, { slots: [0, 1] });
		books.clock.advance(30 * MINUTE_MS);
		await test.endUse(books, allocationId);
		await settleAllocation(books, allocationId);
		expect((await test.readJob(books, jobId)).costMicroUsd).toBe(600_000n);
		books.clock.advance(60 * MINUTE_MS);
		await meterAll(books);
		await meterAll(books);
		expect(await test.chargedTo(books, { allocationId })).toBe(600_000n);
		expect(await test.chargedTo(books, { poolId: "gpu" })).toBe(3_000_000n);
	});

	it("keeps used + idle at 4 × 3,600,000 × 400 s / 3,600 s = 1,600,000 µ$ for an end learned 40 s late and a start 5 s before the last metering", async () => {
		await test.addPool(books, { microUsdPerGpuHour: 3_600_000n });
		const first = await test.addUse(books, { microUsdPerGpuHour: 3_600_000n });
		books.clock.advance(200 * SECOND_MS);
		await meterAll(books);
		await test.endUse(books, first.allocationId, books.clock.nowMs() - 40 * SECOND_MS);
		const second = await test.addUse(books, { slots: [1], startedMs: books.clock.nowMs() - 5 * SECOND_MS, microUsdPerGpuHour: 3_600_000n });
		books.clock.advance(200 * SECOND_MS);
		await meterAll(books);
		expect(await test.chargedTo(books, first)).toBe(160_000n);
		expect(await test.chargedTo(books, { allocationId: second.allocationId })).toBe(205_000n);
		expect(await test.chargedTo(books, { poolId: "gpu" })).toBe(1_600_000n - 160_000n - 205_000n);
	});

	it("catches up 16 days without a meter in steps, whole hours exact: 384 h × 4 × 600,000 µ$ = 921,600,000 µ$", async () => {
		await test.addPool(books, { sinceMs: test.T0 - 16 * 24 * HOUR_MS });
		const { allocationId } = await test.addUse(books, { startedMs: test.T0 - 12 * 24 * HOUR_MS - 7 });
		await test.endUse(books, allocationId, test.T0 - 4 * 24 * HOUR_MS + 11);
		await meterAll(books);
		expect((await test.chargedTo(books, { allocationId })) + (await test.chargedTo(books, { poolId: "gpu" }))).toBe(921_600_000n);
		expect(await test.chargedTo(books, { allocationId })).toBeGreaterThanOrEqual(115_200_000n);
	});
});

describe("the ledger after random operations", () => {
	it.each(sampled([1, 2, 3, 4, 5], 2))(
		"seed %i: rollups = charges, jobs = their charges, held = remainder of open holds, used + idle = owned",
		async (seed) => {
			const random = seededRandom(seed);
			await test.addPool(books, { microUsdPerGpuHour: 777_777n });
			const machines: string[] = [];
			const uses = new Map<number, string>();
			for (let step = 0; step < 60; step++) {
				books.clock.advance(random.int(1, 40 * MINUTE_MS));
				const dice = random.next();
				if (dice < 0.25) {
					const machine = await test.addMachine(books, {
						microUsdPerHour: BigInt(random.int(1, 9_999_999)),
						diskMicroUsdPerMonth: random.next() < 0.3 ? null : BigInt(random.int(1, 99_999_999)),
						launchedMs: random.next() < 0.2 ? null : books.clock.nowMs(),
					});
					await holdFor(machine.instanceId, BigInt(random.int(1, 3_000_000)), [test.aBudget({ capMicroUsd: 10n ** 12n })]);
					machines.push(machine.instanceId);
				} else if (dice < 0.45 && machines.length > 0) {
					const [id] = machines.splice(random.int(0, machines.length - 1), 1);
					if (id) await test.terminate(books, id, books.clock.nowMs() - random.int(0, 2 * MINUTE_MS));
					if (id && random.next() < 0.5) await settleInstance(books, id);
				} else if (dice < 0.75) {
					const slot = random.int(0, 3);
					const open = uses.get(slot);
					if (open) await test.endUse(books, open);
					if (open && random.next() < 0.5) await settleAllocation(books, open);
					if (open) uses.delete(slot);
					else uses.set(slot, (await test.addUse(books, { slots: [slot], microUsdPerGpuHour: 777_777n })).allocationId);
				} else await Promise.all([meterAll(books, { batchSize: 3 }), meterAll(books)]);
			}
			await meterAll(books);
			const [sums] = await books.database.sql<
				{ jobs: string; charges: string; owned: string; held: string; left: string; posted: string; cloud: string }[]
			>`
			select (select sum(cost_micro_usd) from job)::text as jobs,
				(select sum(effective_micro_usd) from charge where job_id is not null)::text as charges,
				(select sum(effective_micro_usd) from charge where capacity_type = 'owned')::text as owned,
				(select sum(effective_micro_usd) from charge where capacity_type <> 'owned')::text as cloud,
				(select sum(held_micro_usd) from budget_period)::text as held,
				(select sum(posted_micro_usd) from budget_period)::text as posted,
				(select coalesce(sum(greatest(amount_micro_usd - posted_micro_usd, 0)) filter (where state = 'pending'), 0) from hold)::text as left`;
			const hours = (BigInt(books.clock.nowMs()) * 777_777n) / 3_600_000n - (BigInt(test.T0) * 777_777n) / 3_600_000n;
			expect(sums?.jobs).toBe(sums?.charges);
			expect(sums?.held).toBe(sums?.left);
			expect(sums?.posted).toBe(sums?.cloud);
			expect(sums?.owned).toBe((4n * hours).toString());
			const check = await ledgerCheck(books);
			expect(check.ok).toBe(true);
			expect(check.totals.hour).toBe(check.totals.charges);
		},
	);
});

describe("ledgerCheck", () => {
	it("reports the row, the column and both sums when a rollup was tampered with", async () => {
		const { instanceId } = await test.addMachine(books);
		books.clock.advance(HOUR_MS);
		await settleInstance(books, instanceId);
		await books.database.sql`update rollup set effective_micro_usd = effective_micro_usd + 1 where granularity = 'day'`;
		const { ok, differences } = await ledgerCheck(books);
		expect(ok).toBe(false);
		expect(differences).toEqual([
			expect.objectContaining({
				granularity: "day",
				bucketStartMs: Date.UTC(2026, 10, 10),
				column: "effective_micro_usd",
				rollup: 404_201n,
				charges: 404_200n,
			}),
		]);
		await books.database.sql`update rollup set effective_micro_usd = effective_micro_usd - 1 where granularity = 'day'`;
	});
});
