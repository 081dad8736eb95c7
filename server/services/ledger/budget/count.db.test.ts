import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { budgetDay, budgetJob, holdBudget } from "#server/db/schema/budget.ts";
import { CHARGES_OF_BUDGETS } from "#server/domain/budget-charges.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { listCharges } from "#server/services/reporting/spend/charges.ts";
import { meterAll } from "../charge/meter.ts";
import { settleInstance } from "../charge/settle.ts";
import * as test from "../charge/testing/books.ts";
import { countBudgets } from "./count.ts";
import { placeHold } from "./place-hold.ts";

let books: test.Books;
beforeEach(async () => {
	books = await test.openBooks();
});
afterEach(() => books.database.drop());

const place = (instanceId: string, amountMicroUsd: bigint) =>
	books.db.transaction((tx) =>
		placeHold(tx, { holds: [{ instanceId, amountMicroUsd }], budgets: [test.aBudget()], nowMs: books.clock.nowMs() }),
	);
const publish = (...budgets: string[]) =>
	publishPolicy(books, {
		name: "default",
		message: "test",
		source: [
			"apiVersion: spillway/v1",
			"kind: Policy",
			"metadata: { name: default }",
			"spec:",
			"  rules: []",
			"  budgets:",
			...budgets,
		].join("\n"),
	});
const MONTH = '    - { id: cloud-month, scope: "true", period: month, capUsd: 100, atCap: hold }';
const RISK = "    - { id: risk, scope: 'job.team == \"risk\"', period: month, capUsd: 50, atCap: hold }";
const count = (id: string, scope: string) =>
	books.db.transaction((tx) => countBudgets(tx, [test.aBudget({ id, scope })], books.clock.nowMs()));

/** Ten minutes at $6 an hour: $1, settled; and a running machine, held at $9 with $1 of it posted. */
async function tenMinutesOf(team: string): Promise<string> {
	const [ended, live] = [
		await test.addMachine(books, { team, microUsdPerHour: 6_000_000n }),
		await test.addMachine(books, { team, microUsdPerHour: 6_000_000n }),
	];
	await place(ended.instanceId, 9_000_000n);
	await place(live.instanceId, 9_000_000n);
	books.clock.advance(10 * MINUTE_MS);
	await test.terminate(books, ended.instanceId);
	await settleInstance(books, ended.instanceId);
	await settleInstance(books, live.instanceId);
	return live.instanceId;
}

describe("countBudgets", () => {
	it("counts a team's budget published in mid-month: posted 1 + 1 for its two machines, held 9 − 1 for the live one, nothing of others", async () => {
		await publish(MONTH);
		const live = await tenMinutesOf("risk");
		await tenMinutesOf("vision");
		await publish(MONTH, RISK);
		expect(await test.readBudget(books, "risk", "2026-11-01")).toEqual({ posted: 2_000_000n, held: 8_000_000n });
		// The live machine continues to be charged: $6 an hour more is posted to both.
		books.clock.advance(HOUR_MS);
		await settleInstance(books, live);
		const after = await test.readBudget(books, "risk", "2026-11-01");
		// 1 h plus 10 min of the other team's work.
		expect(after).toEqual({ posted: 9_000_000n, held: 1_000_000n });
		expect(after.posted + after.held).toBe(10_000_000n);
	});

	it("has sums by day and by job that add up to the posted sum, whether charged before or after counting", async () => {
		await publish(MONTH);
		const live = await tenMinutesOf("risk");
		await publish(MONTH, RISK);
		books.clock.advance(14 * HOUR_MS);
		await test.terminate(books, live);
		await meterAll(books);
		for (const id of ["cloud-month", "risk"]) {
			const { posted } = await test.readBudget(books, id, "2026-11-01");
			const sum = (table: typeof budgetDay | typeof budgetJob) =>
				books.db
					.select({ sum: sql<string>`sum(posted_micro_usd)::text` })
					.from(table)
					.where(eq(table.budgetId, id))
					.then(([row]) => BigInt(row?.sum ?? "0"));
			expect(posted).toBe(86_000_000n);
			expect(await sum(budgetDay)).toBe(posted);
			const filters = { ...CHARGES_OF_BUDGETS, ...(id === "risk" ? { team: ["risk"] } : {}) };
			const month = { fromMs: Date.UTC(2026, 10, 1), toMs: Date.UTC(2026, 11, 1) };
			const { totals: ofMonth } = await listCharges(books, { ...month, filters, limit: 1 });
			expect(ofMonth.effectiveMicroUsd).toBe(posted);
			const ofBudget = await listCharges(books, { ...month, budget: id, limit: 1 });
			expect([ofBudget.totals, ofBudget.budget]).toEqual([ofMonth, { id, postedMicroUsd: posted }]);
			for (const day of await books.db.select().from(budgetDay).where(eq(budgetDay.budgetId, id))) {
				const fromMs = day.dayStart.getTime();
				const { totals } = await listCharges(books, {
					fromMs,
					toMs: fromMs + 24 * HOUR_MS,
					filters: { ...filters, team: [day.team] },
					limit: 1,
				});
				expect(totals.effectiveMicroUsd).toBe(day.postedMicroUsd);
				const one = { fromMs, toMs: fromMs + 24 * HOUR_MS, filters: { team: [day.team] }, budget: id };
				const { items, ...sums } = await listCharges(books, { ...one, limit: 500 });
				expect([sums.totals, BigInt(items.length)]).toEqual([totals, totals.charges]);
				expect((await listCharges(books, { ...one, filters: { team: ["nobody"] } })).totals.charges).toBe(0n);
				// Within a day, and for dimensions without stored sums, the charges themselves are added up.
				expect((await listCharges(books, { ...one, toMs: fromMs + 23 * HOUR_MS })).totals.charges).toBeLessThanOrEqual(totals.charges);
				expect((await listCharges(books, { ...one, filters: { region: ["us-east-1"] } })).totals).toEqual(totals);
			}
			expect(await sum(budgetJob)).toBe(posted);
		}
		expect(await books.db.$count(budgetDay, eq(budgetDay.budgetId, "risk"))).toBe(2);
	});

	it("adds earlier charges of a job that a period counts late: 10 min at $6 without a hold and 10 with one are $2", async () => {
		await publish(MONTH);
		const first = await test.addMachine(books, { microUsdPerHour: 6_000_000n });
		books.clock.advance(10 * MINUTE_MS);
		await test.terminate(books, first.instanceId);
		await settleInstance(books, first.instanceId);
		await test.endAttempt(books, first.attemptId, "interrupted");
		const second = await test.addMachine(books, { microUsdPerHour: 6_000_000n, jobId: first.jobId, attemptNo: 2 });
		await place(second.instanceId, 9_000_000n);
		books.clock.advance(10 * MINUTE_MS);
		await meterAll(books);
		const month = { fromMs: Date.UTC(2026, 10, 1), toMs: Date.UTC(2026, 11, 1), budget: "cloud-month" };
		const { items, totals, budget } = await listCharges(books, month);
		expect([items.length, totals.charges, totals.effectiveMicroUsd, totals.gpuMs]).toEqual([2, 2n, 2_000_000n, BigInt(20 * MINUTE_MS)]);
		expect(budget?.postedMicroUsd).toBe(2_000_000n);
	});

	it("changes nothing when repeated, and skips a budget that was counted before", async () => {
		await publish(MONTH);
		await tenMinutesOf("risk");
		await publish(MONTH, RISK);
		expect(await count("risk", 'job.team == "risk"')).toEqual([]);
		books.clock.advance(2 * MINUTE_MS);
		// Count again a minute later, for placements that still used the previous policy.
		expect(await count("risk", 'job.team == "risk"')).toEqual(["risk"]);
		expect(await test.readBudget(books, "risk", "2026-11-01")).toEqual({ posted: 2_000_000n, held: 8_000_000n });
		books.clock.advance(60 * MINUTE_MS);
		expect(await count("risk", 'job.team == "risk"')).toEqual([]);
	});

	it("counts other jobs as soon as a scope is changed", async () => {
		await publish(MONTH, RISK);
		await tenMinutesOf("risk");
		await tenMinutesOf("vision");
		await publish(MONTH, RISK.replace('"risk"', '"vision"'));
		expect(await test.readBudget(books, "risk", "2026-11-01")).toEqual({ posted: 2_000_000n, held: 8_000_000n });
		const rows = await books.db.select().from(holdBudget).where(eq(holdBudget.budgetId, "risk"));
		expect(rows).toHaveLength(2);
	});

	it("counts October too when a monthly budget becomes quarterly, though both keys are days of one calendar", async () => {
		await publish(MONTH);
		books.clock.advance(-20 * 24 * HOUR_MS);
		await tenMinutesOf("risk");
		books.clock.advance(20 * 24 * HOUR_MS);
		await publish(MONTH.replace("period: month", "period: quarter"));
		expect((await test.readBudget(books, "cloud-month", "2026-10-01")).posted).toBe(2_000_000n);
	});

	it("loses nothing and counts nothing twice while a meter runs during publication, whichever comes first", async () => {
		await publish(MONTH);
		const machines = await Promise.all(Array.from({ length: 8 }, () => test.addMachine(books, { microUsdPerHour: 6_000_000n })));
		for (const m of machines) await place(m.instanceId, 9_000_000n);
		books.clock.advance(10 * MINUTE_MS);
		await Promise.all([...machines.map((m) => settleInstance(books, m.instanceId)), publish(MONTH, RISK), meterAll(books)]);
		await meterAll(books);
		expect(await test.readBudget(books, "risk", "2026-11-01")).toEqual({ posted: 8_000_000n, held: 64_000_000n });
		for (const budget of ["risk", "cloud-month"]) {
			const month = { fromMs: Date.UTC(2026, 10, 1), toMs: Date.UTC(2026, 11, 1), budget };
			const { items, totals, ...page } = await listCharges(books, month);
			expect([totals.effectiveMicroUsd, BigInt(items.length), page.budget?.postedMicroUsd]).toEqual([
				8_000_000n,
				totals.charges,
				8_000_000n,
			]);
		}
	});
});
