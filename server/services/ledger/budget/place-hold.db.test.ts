import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hold, holdBudget } from "#server/db/schema/budget.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import type { Actor } from "#server/services/core/context.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { settleInstance } from "../charge/settle.ts";
import * as test from "../charge/testing/books.ts";
import { listBudgets } from "./list.ts";
import { placeHold } from "./place-hold.ts";
import { budgetViews } from "./views.ts";

let books: test.Books;
beforeEach(async () => {
	books = await test.openBooks();
});
afterEach(() => books.database.drop());

const place = (instanceId: string, amountMicroUsd: bigint, budgets = [test.aBudget()]) =>
	books.db.transaction((tx) => placeHold(tx, { holds: [{ instanceId, amountMicroUsd }], budgets, nowMs: books.clock.nowMs() }));

describe("placeHold", () => {
	it("lets exactly one of ten concurrent 60s hold with a cap of 100: each other misses 60 − 40 = 20", async () => {
		const results = await Promise.all(Array.from({ length: 10 }, (_, i) => place(`ins_${i}`, 60_000_000n)));
		expect(results.filter((r) => r.ok)).toHaveLength(1);
		for (const refusal of results.filter((r) => !r.ok)) {
			expect(refusal).toEqual({
				ok: false,
				budgetId: "cloud-month",
				missingMicroUsd: 20_000_000n,
				freeMicroUsd: 40_000_000n,
				capMicroUsd: 100_000_000n,
			});
		}
		expect(await test.readBudget(books, "cloud-month", "2026-11-01")).toEqual({ posted: 0n, held: 60_000_000n });
		expect(await books.db.$count(hold)).toBe(1);
	});

	it("lets three of twenty concurrent 30s hold with a cap of 100, over two budgets locked in either order, without a deadlock", async () => {
		const two = [test.aBudget(), test.aBudget({ id: "risk", capMicroUsd: 95_000_000n })];
		const results = await Promise.all(Array.from({ length: 20 }, (_, i) => place(`ins_${i}`, 30_000_000n, i % 2 ? two : two.toReversed())));
		expect(results.filter((r) => r.ok)).toHaveLength(3);
		expect(results.filter((r) => !r.ok && r.budgetId === "risk" && r.missingMicroUsd === 25_000_000n)).toHaveLength(17);
	});

	it("holds exactly the free amount, rejects a micro-dollar more and then writes nothing", async () => {
		expect(await place("ins_1", 100_000_001n)).toMatchObject({ ok: false, missingMicroUsd: 1n });
		expect(await books.db.$count(hold)).toBe(0);
		expect(await place("ins_1", 100_000_000n)).toEqual({ ok: true });
	});

	it("returns the amount when the placement is rolled back", async () => {
		const failed = books.db.transaction(async (tx) => {
			await placeHold(tx, {
				holds: [{ instanceId: "ins_1", amountMicroUsd: 90_000_000n }],
				budgets: [test.aBudget()],
				nowMs: books.clock.nowMs(),
			});
			throw new Error("stale");
		});
		await expect(failed).rejects.toThrow("stale");
		expect(await place("ins_2", 90_000_000n)).toEqual({ ok: true });
	});

	it("records the worst case even without any budget", async () => {
		expect(await place("ins_1", 5n, [])).toEqual({ ok: true });
		expect(await test.readHold(books, "ins_1")).toMatchObject({ amountMicroUsd: 5n, state: "pending" });
		expect(await books.db.$count(holdBudget)).toBe(0);
	});

	it("still counts a machine that runs into December: cap 100 − held 60 leaves 40", async () => {
		await place("ins_1", 60_000_000n);
		books.clock.advance(Date.UTC(2026, 11, 1) - books.clock.nowMs());
		expect(await place("ins_2", 60_000_000n)).toMatchObject({ ok: false, missingMicroUsd: 20_000_000n });
		expect(await place("ins_3", 40_000_000n)).toEqual({ ok: true });
		expect(await budgetViews(books.db, [test.aBudget()], books.clock.nowMs())).toEqual([
			{ id: "cloud-month", scope: "true", capMicroUsd: 100_000_000n, postedMicroUsd: 0n, heldMicroUsd: 100_000_000n },
		]);
	});

	it("never overspends with concurrent placements and settlements: posted + held stays within the cap", async () => {
		const machines = await Promise.all(Array.from({ length: 12 }, () => test.addMachine(books, { microUsdPerHour: 60_000_000n })));
		await Promise.all(machines.map((m) => place(m.instanceId, 8_000_000n)));
		const held = await books.db.select({ instanceId: hold.instanceId }).from(hold);
		expect(held).toHaveLength(12);
		books.clock.advance(5 * MINUTE_MS);
		for (const m of machines) await test.terminate(books, m.instanceId);
		const [, ...placed] = await Promise.all([
			Promise.all(machines.map((m) => settleInstance(books, m.instanceId))),
			...Array.from({ length: 12 }, (_, i) => place(`ins_more_${i}`, 20_000_000n)),
		]);
		const { posted, held: now } = await test.readBudget(books, "cloud-month", "2026-11-01");
		expect(posted).toBe(60_000_000n);
		expect(now).toBe(20_000_000n * BigInt(placed.filter((p) => p.ok).length));
		expect(posted + now).toBeLessThanOrEqual(100_000_000n);
	});
});

describe("listBudgets", () => {
	const person = (role: "platform" | "data_scientist" | "finance"): Actor => ({
		kind: "person",
		accountId: "usr_1",
		name: "P",
		role,
		teams: ["risk"],
		via: "session",
	});

	it("returns cap, posted, held and free = cap − posted − held with the period's bounds, for every role that may read budgets", async () => {
		await publishPolicy(books, {
			name: "default",
			message: "test",
			source: [
				...["apiVersion: spillway/v1", "kind: Policy", "metadata: { name: default }", "spec:", "  rules: []", "  budgets:"],
				...['    - { id: cloud-month, scope: "true", period: month, capUsd: 100, atCap: hold }'],
				...["    - { id: risk-year, scope: 'job.team == \"risk\"', period: year, capUsd: 1000, atCap: hold }"],
			].join("\n"),
		});
		const { instanceId } = await test.addMachine(books, { microUsdPerHour: 6_000_000n });
		await place(instanceId, 9_000_000n);
		books.clock.advance(10 * MINUTE_MS);
		await settleInstance(books, instanceId);
		for (const role of ["platform", "finance", "data_scientist"] as const) {
			const [month, year] = await listBudgets({ ...books, actor: person(role) });
			expect(month).toMatchObject({
				id: "cloud-month",
				period: "month",
				periodStartMs: Date.UTC(2026, 10),
				periodEndMs: Date.UTC(2026, 11),
			});
			expect(month).toMatchObject({
				capMicroUsd: 100_000_000n,
				postedMicroUsd: 1_000_000n,
				heldMicroUsd: 8_000_000n,
				freeMicroUsd: 91_000_000n,
			});
			expect(year).toMatchObject({
				id: "risk-year",
				periodEndMs: Date.UTC(2027, 0),
				postedMicroUsd: 0n,
				heldMicroUsd: 0n,
				freeMicroUsd: 1_000_000_000n,
			});
		}
	});

	it("explains what to do when no policy is published", async () => {
		await expect(listBudgets(books)).rejects.toMatchObject({ code: "unavailable" });
	});
});
