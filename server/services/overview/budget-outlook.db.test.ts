import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { budgetDay, budgetPeriod } from "#server/db/schema/budget.ts";
import { job } from "#server/db/schema/job.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { settleInstance } from "#server/services/ledger/charge/settle.ts";
import * as test from "#server/services/ledger/charge/testing/books.ts";
import { getBudgetOutlook } from "./budget-outlook.ts";

/** 40 days later ten whole days are left of December. */
const START_MS = Date.UTC(2026, 10, 12);
const DAYS = 40;
const USD = 1_000_000n;
const ID = "cloud-month";
const POLICY = `apiVersion: spillway/v1
kind: Policy
metadata: { name: default }
spec:
  rules: []
  budgets:
    - { id: ${ID}, scope: "true", period: month, capUsd: 1000, atCap: hold }
`;

let books: test.Books;
beforeEach(async () => {
	books = await test.openBooks(START_MS);
	await publishPolicy(books, { name: "default", message: "test", source: POLICY });
});
afterEach(() => books.database.drop());

/** A job with this many GPUs from the start until now. */
async function demand(team: string, gpus: number, fromMs: number): Promise<void> {
	const id = await test.addJob(books, { team, gpus });
	await books.db
		.update(job)
		.set({ submittedAt: new Date(fromMs) })
		.where(eq(job.id, id));
}

/** The ledger's first day, and then $10 a day of one team and $4 of the other. */
async function spend(): Promise<void> {
	const { instanceId } = await test.addMachine(books, { team: "risk" });
	books.clock.advance(HOUR_MS);
	await test.terminate(books, instanceId);
	await settleInstance(books, instanceId);
	books.clock.advance(DAYS * DAY_MS - HOUR_MS);
	const nowMs = books.clock.nowMs();
	await books.db.delete(budgetDay);
	for (let day = 1; day <= 28; day++)
		for (const [team, usd] of [
			["risk", 10n],
			["vision", 4n],
		] as const)
			await books.db.insert(budgetDay).values({ budgetId: ID, dayStart: new Date(nowMs - day * DAY_MS), team, postedMicroUsd: usd * USD });
	const posted = { budgetId: ID, periodKey: "2026-12-01", postedMicroUsd: 294n * USD };
	await books.db
		.insert(budgetPeriod)
		.values(posted)
		.onConflictDoUpdate({ target: [budgetPeriod.budgetId, budgetPeriod.periodKey], set: posted });
}

describe("the end of a budget's period", () => {
	it("is unknown without seven days of spending", async () => {
		expect(await getBudgetOutlook(books, { id: ID })).toBeNull();
		await expect(getBudgetOutlook(books, { id: "other" })).rejects.toMatchObject({ code: "not_found" });
	});

	it("follows the demand of each team, and names first the team that it depends on most", async () => {
		await spend();
		const nowMs = books.clock.nowMs();
		await demand("risk", 4, START_MS);
		// Its demand has doubled in the last days: the mean of four weeks is behind.
		await demand("vision", 4, START_MS);
		await demand("vision", 4, nowMs - 7 * DAY_MS);
		const outlook = await getBudgetOutlook(books, { id: ID });
		const [first, second] = outlook?.teams ?? [];
		expect([first?.team, second?.team]).toEqual(["vision", "risk"]);
		// Steady demand changes nothing: 10 days of $10.
		expect(second).toMatchObject({ unchangedMicroUsd: 100n * USD, expectedMicroUsd: 100n * USD });
		expect(first?.unchangedMicroUsd).toBe(40n * USD);
		expect(first?.demand?.p50).toBeGreaterThan(1.2);
		const rest = (of: "lowMicroUsd" | "highMicroUsd") => (first?.[of] ?? 0n) + (second?.[of] ?? 0n) + 294n * USD;
		expect([outlook?.lowMicroUsd, outlook?.highMicroUsd]).toEqual([rest("lowMicroUsd"), rest("highMicroUsd")]);
		expect(outlook?.others).toBeNull();
	});

	it("adds up the teams that the reader may not see", async () => {
		await spend();
		const actor = { kind: "person", accountId: "a", name: "A", role: "data_scientist", teams: ["vision"], via: "session" } as const;
		const outlook = await getBudgetOutlook({ ...books, actor }, { id: ID });
		expect(outlook?.teams.map(({ team, demand }) => [team, demand])).toEqual([["vision", null]]);
		expect(outlook?.others).toMatchObject({ unchangedMicroUsd: 100n * USD, highMicroUsd: 100n * USD });
		expect(outlook?.expectedMicroUsd).toBe(434n * USD);
	});
});
