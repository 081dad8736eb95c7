import { eq, like, sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NO_AMOUNTS } from "#server/accounting/amounts.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { checkpoint } from "#server/db/schema/checkpoint.ts";
import { instance } from "#server/db/schema/instance.ts";
import { offer, offerPrice } from "#server/db/schema/offer.ts";
import { setting } from "#server/db/schema/setting.ts";
import { site } from "#server/db/schema/site.ts";
import { newId } from "#server/kernel/ids.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { readDataView } from "#server/services/capacity/data-set/data-view.ts";
import { listCommitments, setCommitments } from "#server/services/pricing/commitment/commitments.ts";
import { closeMonth } from "#server/services/reporting/statement/close.ts";
import { previewStatement } from "#server/services/reporting/statement/preview.ts";
import { recordReads } from "#server/services/work/agent/record-reads.ts";
import { placeHold } from "../budget/place-hold.ts";
import { chargesOf } from "./charges-of.ts";
import { ledgerCheck } from "./check.ts";
import { meterAll } from "./meter.ts";
import { postCharges } from "./post-charges.ts";
import { receiptOf } from "./receipt.ts";
import { settleInstance } from "./settle.ts";
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

const spotPrice = async (instanceId: string, minutes: number, microUsdPerHour: bigint) => {
	const { offer } = await test.readInstance(books, instanceId);
	await books.db.insert(offerPrice).values({ offerId: offer.id, observedAt: new Date(test.T0 + minutes * MINUTE_MS), microUsdPerHour });
};
const kinds = async (jobId: string) => {
	const sums = new Map<string, bigint>();
	for (const c of await chargesOf(books, jobId)) {
		const key = c.correction ?? c.dimensions.kind;
		sums.set(key, (sums.get(key) ?? 0n) + c.effectiveMicroUsd);
	}
	return Object.fromEntries(sums);
};

describe("amounts worked out by hand", () => {
	it("charge a spot price of $1 that is $2 from 10:40 on, for 2 h since 10:00, with the second instance-hour at $2: $1 + $2 = $3", async () => {
		const { instanceId, jobId } = await test.addMachine(books, { microUsdPerHour: 1_000_000n });
		await spotPrice(instanceId, 40, 2_000_000n);
		for (let n = 0; n < 6; n++) {
			books.clock.advance(20 * MINUTE_MS);
			await meterAll(books);
		}
		await test.terminate(books, instanceId);
		await settleInstance(books, instanceId);
		expect(await kinds(jobId)).toEqual({ compute: 3_000_000n });
	});

	it("give $3 too when the price is learned only at 11:30: 90 min charged at $1, 30 at $2, and + $0.50 at the end for 11:00 to 11:30", async () => {
		const { instanceId, jobId } = await test.addMachine(books, { microUsdPerHour: 1_000_000n });
		books.clock.advance(90 * MINUTE_MS);
		await meterAll(books);
		await spotPrice(instanceId, 40, 2_000_000n);
		books.clock.advance(30 * MINUTE_MS);
		await test.terminate(books, instanceId);
		await settleInstance(books, instanceId);
		expect(await kinds(jobId)).toEqual({ compute: 2_500_000n, price_learnt_late: 500_000n });
		expect((await test.readInstance(books, instanceId)).costMicroUsd).toBe(3_000_000n);
		await meterAll(books);
		expect((await test.readJob(books, jobId)).costMicroUsd).toBe(3_000_000n);
	});

	it("charge 100 GiB of disk at $7.20 a month of 720 h next to a machine at $1/h for 2 h: $2 and 2 × $0.01, with two concurrent meters", async () => {
		const { instanceId, jobId } = await test.addMachine(books, { microUsdPerHour: 1_000_000n, diskMicroUsdPerMonth: 7_200_000n });
		for (let n = 0; n < 4; n++) {
			books.clock.advance(30 * MINUTE_MS);
			await Promise.all([meterAll(books), meterAll(books)]);
		}
		await test.terminate(books, instanceId);
		await settleInstance(books, instanceId);
		expect(await kinds(jobId)).toEqual({ compute: 2_000_000n, storage: 20_000n });
		expect((await test.readInstance(books, instanceId)).costMicroUsd).toBe(2_020_000n);
		expect((await test.readJob(books, jobId)).costMicroUsd).toBe(2_020_000n);
	});

	it("have no charge, rather than $0, for a disk with an unknown price: 2 h × $1 = $2", async () => {
		const { instanceId, jobId } = await test.addMachine(books, { microUsdPerHour: 1_000_000n, diskMicroUsdPerMonth: null });
		books.clock.advance(2 * HOUR_MS);
		await test.terminate(books, instanceId);
		await settleInstance(books, instanceId);
		expect(await kinds(jobId)).toEqual({ compute: 2_000_000n });
	});

	it("correct a late spot price without its disk: 90 min at $1, 30 at $2, + $0.50, and 2 × $0.01", async () => {
		const { instanceId, jobId } = await test.addMachine(books, { microUsdPerHour: 1_000_000n, diskMicroUsdPerMonth: 7_200_000n });
		books.clock.advance(90 * MINUTE_MS);
		await meterAll(books);
		await spotPrice(instanceId, 40, 2_000_000n);
		books.clock.advance(30 * MINUTE_MS);
		await test.terminate(books, instanceId);
		await settleInstance(books, instanceId);
		expect(await kinds(jobId)).toEqual({ compute: 2_500_000n, price_learnt_late: 500_000n, storage: 20_000n });
	});

	it("leave an on-demand machine unchanged when its spot price stops being refreshed: 2 h × $1 = $2", async () => {
		const { instanceId, jobId } = await test.addMachine(books, { microUsdPerHour: 1_000_000n, capacityType: "on_demand" });
		await spotPrice(instanceId, 10, 9_000_000n);
		books.clock.advance(2 * HOUR_MS);
		await test.terminate(books, instanceId);
		await settleInstance(books, instanceId);
		expect(await kinds(jobId)).toEqual({ compute: 2_000_000n });
	});

	it("split a run of 4 min boot, 6 staging, 20 compute at $6/h into $0.40 boot + $0.60 staging + $2 compute = $3", async () => {
		const { instanceId, jobId, attemptId } = await test.addMachine(books, { microUsdPerHour: 6_000_000n });
		const times = async (changes: Partial<typeof attempt.$inferInsert>) =>
			books.db.update(attempt).set(changes).where(eq(attempt.id, attemptId));
		await times({ startedAt: null });
		books.clock.advance(4 * MINUTE_MS);
		await meterAll(books);
		await times({ stagingAt: new Date(books.clock.nowMs()) });
		books.clock.advance(6 * MINUTE_MS);
		await times({ startedAt: new Date(books.clock.nowMs()) });
		books.clock.advance(20 * MINUTE_MS);
		await test.terminate(books, instanceId);
		await settleInstance(books, instanceId);
		expect(await kinds(jobId)).toEqual({ boot: 400_000n, staging: 600_000n, compute: 2_000_000n });
	});

	it("charge a gang of 2 at $3.60/h, interrupted after 30 min and restarted for 60: 2 × 1.80 lost + 2 × 3.60 = $10.80", async () => {
		const first = await test.addMachine(books, { microUsdPerHour: 3_600_000n });
		const mate = `${first.instanceId.slice(0, -1)}1`;
		const row = await test.readInstance(books, first.instanceId);
		await books.db.insert(instance).values({ ...row, id: mate, rank: 1, providerInstanceId: "i-mate" });
		books.clock.advance(30 * MINUTE_MS);
		for (const id of [first.instanceId, mate]) await test.terminate(books, id);
		await test.endAttempt(books, first.attemptId, "interrupted");
		await meterAll(books);
		const second = await test.addMachine(books, { microUsdPerHour: 3_600_000n, jobId: first.jobId, attemptNo: 2 });
		const again = await test.readInstance(books, second.instanceId);
		const secondMate = `${second.instanceId.slice(0, -1)}1`;
		await books.db.insert(instance).values({ ...again, id: secondMate, rank: 1, providerInstanceId: "i-mate-2" });
		books.clock.advance(60 * MINUTE_MS);
		for (const id of [second.instanceId, secondMate]) await test.terminate(books, id);
		await meterAll(books);
		const of = async (attemptId: string) =>
			(await chargesOf(books, first.jobId)).filter((c) => c.attemptId === attemptId).reduce((sum, c) => sum + c.effectiveMicroUsd, 0n);
		expect([await of(first.attemptId), await of(second.attemptId)]).toEqual([3_600_000n, 7_200_000n]);
		expect((await test.readJob(books, first.jobId)).costMicroUsd).toBe(10_800_000n);
	});

	it("keep a refund of $0.75 on a machine of $3.60 + $7.20 as its own entry that no later metering reverses: $10.05 left", async () => {
		const { instanceId, jobId } = await test.addMachine(books, { microUsdPerHour: 3_600_000n });
		books.clock.advance(30 * MINUTE_MS);
		await meterAll(books);
		const [charged] = await chargesOf(books, jobId);
		if (!charged) throw new Error("nothing was charged");
		const refund = { contractedMicroUsd: 0n, effectiveMicroUsd: -750_000n, billedMicroUsd: -750_000n };
		const { id: _, ...draft } = charged;
		await books.db.transaction((tx) =>
			postCharges(
				tx,
				[{ ...draft, ...NO_AMOUNTS, ...refund, correction: "refund", dimensions: { ...draft.dimensions, kind: "adjustment" } }],
				books.clock.nowMs(),
			),
		);
		await spotPrice(instanceId, 20, 7_200_000n);
		books.clock.advance(90 * MINUTE_MS);
		await test.terminate(books, instanceId);
		await meterAll(books);
		expect(await kinds(jobId)).toEqual({ compute: 10_800_000n, refund: -750_000n });
		expect((await test.readJob(books, jobId)).costMicroUsd).toBe(10_050_000n);
	});
});

describe("data that a cloud machine reads from another cloud", () => {
	const GIB = 1_073_741_824;
	const URI = "s3://acme/claims";
	const read = async (bytes: number, from = "gcp:us-central1") => {
		const machine = await test.addMachine(books, { microUsdPerHour: 1_000_000n, region: "us-east-2" });
		const { instanceId, jobId, attemptId } = machine;
		await books.db.transaction((tx) =>
			placeHold(tx, { holds: [{ instanceId, amountMicroUsd: 5_000_000n }], budgets: [test.aBudget()], nowMs: books.clock.nowMs() }),
		);
		const reads = JSON.stringify([{ uri: URI, from, microUsd: 300_000 }]);
		const data = JSON.stringify([{ uri: URI, sizeGiB: 2.5, mount: "/data", residency: [] }]);
		await books.db.execute(sql`update attempt set placement = jsonb_set(placement, '{reads}', ${reads}::jsonb) where id = ${attemptId}`);
		await books.db.execute(sql`update job set spec = jsonb_set(spec, '{data}', ${data}::jsonb) where id = ${jobId}`);
		const report = (count: number) =>
			books.db.transaction((tx) => recordReads(tx, { instanceId, attemptId }, [count], books.clock.nowMs()));
		books.clock.advance(10 * MINUTE_MS);
		await report(bytes);
		await report(99 * GIB);
		await Promise.all([meterAll(books), meterAll(books)]);
		await report(99 * GIB);
		await test.terminate(books, instanceId);
		await settleInstance(books, instanceId);
		await meterAll(books);
		return machine;
	};
	const egressOf = async (jobId: string) => (await chargesOf(books, jobId)).filter((c) => c.dimensions.kind === "egress");

	it("costs $0.24 for 2 GiB out of Google's us-central1 at $0.12, on the machine, its job, its hold and its budget, once", async () => {
		const { instanceId, jobId } = await read(2 * GIB);
		const [charge, ...more] = await egressOf(jobId);
		expect(more).toEqual([]);
		expect(charge).toMatchObject({ effectiveMicroUsd: 240_000n, instanceId, dimensions: { provider: "gcp", region: "us-central1" } });
		const cost = (await test.readInstance(books, instanceId)).costMicroUsd;
		expect((await test.readJob(books, jobId)).costMicroUsd).toBe(cost);
		expect(await test.readHold(books, instanceId)).toMatchObject({ state: "posted", postedMicroUsd: cost });
	});

	it("costs $0.050001 for 2.5 GiB and one byte out of another region of its cloud at $0.02, once, without counting toward the month's tiers", async () => {
		const { jobId, instanceId } = await read(2.5 * GIB + 1, "aws:eu-west-1");
		const [charge, ...more] = await egressOf(jobId);
		expect(more).toEqual([]);
		expect(charge).toMatchObject({
			...{ effectiveMicroUsd: 50_001n, billedMicroUsd: 50_001n, instanceId },
			dimensions: { provider: "aws", region: "eu-west-1", siteId: "aws" },
		});
		expect(await books.db.select().from(setting).where(like(setting.key, "egress_bytes/%"))).toEqual([]);
		const cost = (await test.readInstance(books, instanceId)).costMicroUsd;
		expect((await test.readJob(books, jobId)).costMicroUsd).toBe(cost);
		const lines = (await receiptOf(books, jobId)).attempts.flatMap((a) => a.lines);
		expect(lines.filter((line) => line.kind === "egress").map((line) => [line.causeId, line.costMicroUsd])).toEqual([
			[instanceId, 50_001n],
		]);
	});

	it("costs no more than its hold covers: $0.30 for 5 GiB", async () => {
		const { jobId } = await read(5 * GIB);
		expect((await egressOf(jobId)).map((c) => c.effectiveMicroUsd)).toEqual([300_000n]);
	});
});

describe("checkpoints that a cloud machine sends home", () => {
	const GIB = 1_073_741_824n;
	const save = (jobId: string, attemptId: string, bytes: bigint) =>
		books.db.insert(checkpoint).values({
			id: newId("ckp", books.clock.nowMs()),
			...{ jobId, attemptId, createdAt: new Date(books.clock.nowMs()), files: 1, bytes, completedMs: 0n },
		});
	const egressOf = async (jobId: string) =>
		(await chargesOf(books, jobId)).filter((c) => c.dimensions.kind === "egress").map((c) => c.effectiveMicroUsd);

	it("cost $0.18 + $0.27 for 2 GiB + 3 GiB out of us-east-2 at $0.09, on the machine, its job, its hold and its budget, once", async () => {
		const { instanceId, jobId, attemptId } = await test.addMachine(books, { microUsdPerHour: 1_000_000n, region: "us-east-2" });
		await books.db.transaction((tx) =>
			placeHold(tx, { holds: [{ instanceId, amountMicroUsd: 5_000_000n }], budgets: [test.aBudget()], nowMs: books.clock.nowMs() }),
		);
		books.clock.advance(20 * MINUTE_MS);
		await save(jobId, attemptId, 2n * GIB);
		books.clock.advance(10 * MINUTE_MS);
		await Promise.all([meterAll(books), meterAll(books)]);
		await meterAll(books);
		books.clock.advance(30 * MINUTE_MS);
		await save(jobId, attemptId, 3n * GIB);
		await test.terminate(books, instanceId);
		await settleInstance(books, instanceId);
		await meterAll(books);
		expect(await egressOf(jobId)).toEqual([180_000n, 270_000n]);
		expect(await kinds(jobId)).toEqual({ compute: 1_000_000n, egress: 450_000n });
		expect((await test.readInstance(books, instanceId)).costMicroUsd).toBe(1_450_000n);
		expect((await test.readJob(books, jobId)).costMicroUsd).toBe(1_450_000n);
		expect(await test.readHold(books, instanceId)).toMatchObject({ state: "posted", postedMicroUsd: 1_450_000n });
	});

	it("cross the first tier of 10,240 GiB with 10,239 + 2 GiB: 1 GiB of the second at $0.09, 1 at $0.085; the next month starts again, also for decisions", async () => {
		const steps = async () => (await readDataView(books.db, books.clock.nowMs(), undefined))?.egressSteps;
		const offered = { siteId: "aws", provider: "aws", zone: null, instanceType: "g5.xlarge", accelerator: "A10G-24GB" } as const;
		const seen = { priceObservedAt: new Date(test.T0), seenAt: new Date(test.T0), priceSource: "test", capacityType: "spot" } as const;
		await books.db
			.insert(offer)
			.values(["us-east-1", "us-east-2"].map((region) => ({ ...offered, ...seen, id: region, region, gpus: 1, vcpus: 4, memoryGiB: 16 })));
		expect(await steps()).toBeUndefined();
		const one = await test.addMachine(books, { region: "us-east-2" });
		await save(one.jobId, one.attemptId, 10_239n * GIB);
		books.clock.advance(MINUTE_MS);
		await meterAll(books);
		expect((await steps())?.get("aws:us-east-2")?.slice(0, 2)).toEqual([
			{ gib: 1, microUsdPerGiB: 90_000 },
			{ gib: 40_960, microUsdPerGiB: 85_000 },
		]);
		expect((await steps())?.get("aws:us-east-1")?.[0]).toEqual({ gib: 10_240, microUsdPerGiB: 90_000 });
		const two = await test.addMachine(books, { region: "us-east-2" });
		await save(two.jobId, two.attemptId, 2n * GIB);
		books.clock.advance(MINUTE_MS);
		await meterAll(books);
		expect([await egressOf(one.jobId), await egressOf(two.jobId)]).toEqual([[921_510_000n], [175_000n]]);
		expect((await steps())?.get("aws:us-east-2")?.[0]).toEqual({ gib: 40_959, microUsdPerGiB: 85_000 });
		books.clock.advance(25 * 24 * HOUR_MS);
		expect(await steps()).toBeUndefined();
		const three = await test.addMachine(books, { region: "us-east-2" });
		await save(three.jobId, three.attemptId, 2n * GIB);
		books.clock.advance(MINUTE_MS);
		for (const { instanceId } of [one, two, three]) await test.terminate(books, instanceId);
		await meterAll(books);
		expect(await egressOf(three.jobId)).toEqual([180_000n]);
	});
});

describe("a reservation of 2 machines for $4 an hour, $2 each", () => {
	const reserve = () =>
		setCommitments(books, {
			items: [
				{
					...{ id: "cr-1", siteId: "aws", kind: "reservation", region: "us-east-1", instanceType: "g5.xlarge", accelerator: "A10G-24GB" },
					...{ instances: 2, upfrontMicroUsd: "0", hourlyMicroUsd: "4000000" },
					...{ from: new Date(test.T0).toISOString(), to: new Date(test.T0 + 1_000 * HOUR_MS).toISOString() },
				},
			],
		});
	const machine = { capacityType: "reserved", microUsdPerHour: 5_000_000n } as const;
	beforeEach(async () => {
		await books.db.insert(site).values({ id: "aws", name: "AWS", provider: "aws", settings: {} });
		await reserve();
	});

	it("charges 90 min of one machine in 4 closed hours: 1.5 × $2 = $3 used and billed $0, 4 × $4 - $3 = $13 unused, also when the end is learned late", async () => {
		const { instanceId, jobId } = await test.addMachine(books, machine);
		books.clock.advance(4 * HOUR_MS);
		await Promise.all([meterAll(books), meterAll(books)]);
		const unused = () => test.chargedTo(books, { poolId: "cr-1" });
		// Four hours are charged to the machine, three are closed: 3 × $2 of each.
		expect([await test.chargedTo(books, { instanceId }), await unused()]).toEqual([8_000_000n, 6_000_000n]);
		await test.terminate(books, instanceId, test.T0 + 90 * MINUTE_MS);
		await settleInstance(books, instanceId);
		books.clock.advance(HOUR_MS);
		await meterAll(books);
		expect([await test.chargedTo(books, { instanceId }), await unused()]).toEqual([3_000_000n, 13_000_000n]);
		expect((await chargesOf(books, jobId)).every((c) => c.billedMicroUsd === 0n)).toBe(true);
	});

	it("keeps hours open while another meter has their machine locked, rather than counting them as unused", async () => {
		const { instanceId } = await test.addMachine(books, machine);
		books.clock.advance(4 * HOUR_MS);
		const sums = async () => [await test.chargedTo(books, { instanceId }), await test.chargedTo(books, { poolId: "cr-1" })];
		await books.db.transaction(async (other) => {
			await other.select().from(instance).where(eq(instance.id, instanceId)).for("update");
			await meterAll(books);
		});
		expect(await sums()).toEqual([0n, 0n]);
		await meterAll(books);
		expect(await sums()).toEqual([8_000_000n, 6_000_000n]);
	});

	it("does not close November before its last hour: 494 h from the 10th at 10:00 × $4 = $1,976, all of it unused", async () => {
		const untilMs = Date.UTC(2026, 11, 1);
		const close = () => closeMonth(books, { month: "2026-11" });
		books.clock.advance(untilMs + HOUR_MS / 2 - books.clock.nowMs());
		await meterAll(books);
		await expect(close()).rejects.toMatchObject({
			code: "conflict",
			message: expect.stringContaining("1 of the machines, pools and commitments"),
		});
		books.clock.advance(HOUR_MS);
		await meterAll(books);
		expect((await close()).written.map((w) => [w.team, w.version])).toEqual([["", 1]]);
		const { totals } = await previewStatement(books, { month: "2026-11", team: "" });
		expect(totals.effectiveMicroUsd).toBe(String(494 * 4_000_000));
	});

	it("has no room for a third machine, which pays its own $5: 2 + 2 + 5, nothing unused", async () => {
		const machines = [await test.addMachine(books, machine), await test.addMachine(books, machine), await test.addMachine(books, machine)];
		books.clock.advance(2 * HOUR_MS);
		await meterAll(books);
		const costs = await Promise.all(machines.map((m) => test.chargedTo(books, { instanceId: m.instanceId })));
		expect(costs.sort()).toEqual([10_000_000n, 4_000_000n, 4_000_000n]);
		expect(await test.chargedTo(books, { poolId: "cr-1" })).toBe(0n);
	});

	it("replaces a list only if that list has not changed since it was read", async () => {
		const items = await listCommitments(books);
		await expect(setCommitments(books, { items: [] }, { items: [] })).rejects.toMatchObject({ code: "conflict" });
		await setCommitments(books, { items: [] }, { items });
		expect(await listCommitments(books)).toEqual([]);
	});

	it("rejects a site that is not a cloud, and callers without permission to change rates", async () => {
		const [only] = await listCommitments(books);
		if (!only) throw new Error("no commitment");
		await expect(setCommitments(books, { items: [{ ...only, siteId: "moon" }] })).rejects.toMatchObject({ code: "invalid_input" });
		const actor = { kind: "person", accountId: "usr_1", name: "Ada", role: "data_scientist", teams: [], via: "session" } as const;
		await expect(setCommitments({ ...books, actor }, { items: [] })).rejects.toMatchObject({ code: "forbidden" });
	});
});
