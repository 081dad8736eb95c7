import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit } from "#server/db/schema/audit.ts";
import type { Charge } from "#server/domain/charge.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { placeHold } from "../budget/place-hold.ts";
import { chargesOf } from "./charges-of.ts";
import { ledgerCheck } from "./check.ts";
import { meterAll } from "./meter.ts";
import { refundCharge } from "./refund.ts";
import * as test from "./testing/books.ts";

let books: test.Books;
let jobId: string;
let charged: Charge;
/** A machine covered by a budget: one hour at $4. */
beforeAll(async () => {
	books = await test.openBooks();
	const machine = await test.addMachine(books, { microUsdPerHour: 4_000_000n });
	jobId = machine.jobId;
	const holds = [{ instanceId: machine.instanceId, amountMicroUsd: 9_000_000n }];
	await books.db.transaction((tx) => placeHold(tx, { holds, budgets: [test.aBudget()], nowMs: books.clock.nowMs() }));
	books.clock.advance(HOUR_MS);
	await test.terminate(books, machine.instanceId);
	await meterAll(books);
	const [first] = await chargesOf(books, jobId);
	if (!first) throw new Error("nothing was charged");
	charged = first;
});
afterAll(() => books.database.drop());

const refund = (amountUsd?: string, actor: test.Books["actor"] = books.actor) =>
	refundCharge(
		{ ...books, actor },
		{ chargeId: charged.id, reason: "the machine's disk was slow", ...(amountUsd === undefined ? {} : { amountUsd }) },
	);
const posted = async () => (await test.readBudget(books, "cloud-month", "2026-11-01")).posted;

describe("refundCharge", () => {
	it("refunds $1.50 of $4: an entry of −1.50 in the same hour and team, $2.50 left in job and budget, every sum equal to its charges", async () => {
		expect(await refund("1.50")).toEqual({ chargeId: charged.id, refundedMicroUsd: 1_500_000n, leftMicroUsd: 2_500_000n });
		const entry = (await chargesOf(books, jobId)).find((c) => c.correction === "refund");
		expect(entry).toMatchObject({
			...{ periodStartMs: charged.periodStartMs, jobId, attemptId: charged.attemptId, gpuMs: 0n, energyMilliWh: 0n },
			...{ listMicroUsd: 0n, contractedMicroUsd: 0n, effectiveMicroUsd: -1_500_000n, billedMicroUsd: -1_500_000n },
			dimensions: { ...charged.dimensions, kind: "adjustment" },
		});
		expect((await test.readJob(books, jobId)).costMicroUsd).toBe(2_500_000n);
		expect(await posted()).toBe(2_500_000n);
		expect((await ledgerCheck(books)).differences).toEqual([]);
	});

	it("records who, how much and why in the audit log", async () => {
		const [row] = await books.db.select().from(audit).where(eq(audit.action, "charge.refund"));
		expect(row).toMatchObject({
			subject: charged.id,
			before: { effectiveMicroUsd: "4000000" },
			after: { refundedMicroUsd: "1500000", jobId, reason: "the machine's disk was slow" },
		});
	});

	it("never refunds more than is left, also concurrently: of two refunds of $2 from $2.50 one is rejected", async () => {
		const both = await Promise.allSettled([refund("2"), refund("2")]);
		expect(both.map((r) => r.status).toSorted()).toEqual(["fulfilled", "rejected"]);
		await expect(refund("0.500001")).rejects.toMatchObject({
			code: "conflict",
			message: "At most $0.5 of this charge can still be refunded.",
		});
		await expect(refund("0")).rejects.toMatchObject({ code: "conflict" });
	});

	it("refunds all that is left without an amount, and rejects the next refund", async () => {
		expect(await refund()).toMatchObject({ refundedMicroUsd: 500_000n, leftMicroUsd: 0n });
		await expect(refund()).rejects.toMatchObject({ code: "conflict", message: "At most $0 of this charge can still be refunded." });
		expect(await posted()).toBe(0n);
	});

	it("requires permission to change rates, a reason, and a cloud machine", async () => {
		const scientist = { kind: "person", accountId: "usr_1", name: "S", role: "data_scientist", teams: ["risk"], via: "session" } as const;
		await expect(refund("1", scientist)).rejects.toMatchObject({ code: "forbidden" });
		await expect(refundCharge(books, { chargeId: charged.id, reason: " " })).rejects.toThrow();
		await expect(refundCharge(books, { chargeId: "chg_none", reason: "by mistake" })).rejects.toMatchObject({ code: "not_found" });
		await test.addPool(books);
		const use = await test.addUse(books, { team: "risk", slots: [0] });
		books.clock.advance(HOUR_MS);
		await test.endUse(books, use.allocationId);
		await meterAll(books);
		const [owned] = await books.database.sql<{ id: string }[]>`select id from charge where allocation_id is not null limit 1`;
		await expect(refundCharge(books, { chargeId: owned?.id ?? "", reason: "a slow disk" })).rejects.toMatchObject({
			code: "invalid_input",
			message: "Only charges of cloud instances can be refunded.",
		});
	});
});
