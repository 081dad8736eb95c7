import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { attempt } from "#server/db/schema/attempt.ts";
import { job } from "#server/db/schema/job.ts";
import { reason } from "#server/domain/reasons.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import * as test from "#server/services/ledger/charge/testing/books.ts";
import { performancePage } from "./page.ts";
import { performanceBy } from "./performance-by.ts";
import { reportGpuUse } from "./report-gpu-use.ts";

let books: test.Books;
beforeEach(async () => {
	books = await test.openBooks();
});
afterEach(async () => {
	await books.database.drop();
});

const day = { fromMs: test.T0 - 10 * HOUR_MS, toMs: test.T0 + 14 * HOUR_MS };
const scientist = (...teams: string[]) =>
	({ ...books, actor: { kind: "person", accountId: "a", name: "A", role: "data_scientist", teams, via: "session" } }) as const;

/** A cloud job that waits `waitMin` minutes and ends an hour after its submission. */
async function aJob(team: string, waitMin: number, state: "succeeded" | "failed", attemptState: "succeeded" | "failed" | "interrupted") {
	const { jobId, attemptId } = await test.addMachine(books, { team });
	const submittedAt = new Date(test.T0);
	const [startedAt, finishedAt] = [new Date(test.T0 + waitMin * MINUTE_MS), new Date(test.T0 + HOUR_MS)];
	await move(attempt, attemptId, ["staging", "running"], { startedAt });
	await move(attempt, attemptId, [attemptState], { finishedAt, gpuMs: BigInt(2 * HOUR_MS), reason: reason("submitted") });
	await move(job, jobId, ["admitted", "running"], { submittedAt, startedAt });
	await move(job, jobId, [state], { finishedAt });
}

async function move(
	table: typeof job | typeof attempt,
	id: string,
	states: readonly string[],
	values: Record<string, unknown>,
): Promise<void> {
	for (const state of states)
		await books.db
			.update(table)
			.set({ ...values, state: sql`${state}` })
			.where(eq(table.id, id));
}

describe("performance", () => {
	it("returns waits, time to model, throughput and lost hours by team, by site and in total", async () => {
		await aJob("risk", 10, "succeeded", "succeeded");
		await aJob("risk", 30, "succeeded", "interrupted");
		await aJob("vision", 50, "failed", "failed");
		const { items, totals } = await performanceBy(books, { ...day, groupBy: "team" });
		expect(items.map(({ key, models, failed, waits }) => [key, models, failed, waits?.p50S])).toEqual([
			["risk", 2, 0, 1200],
			["vision", 0, 1, 3000],
		]);
		expect(totals).toMatchObject({ models: 2, failed: 1, gpuHours: 6, attempts: 3, interruptions: 1, timeToModel: { meanS: 3600 } });
		expect(totals.lostGpuHours).toEqual({ failed: 2, interrupted: 2, evicted: 0, lost: 0, cancelled: 0 });
		for (const groupBy of ["site", "class", "project", "accelerator", "capacityType", "day", "month"] as const) {
			const grouped = await performanceBy(books, { ...day, groupBy });
			expect(grouped.items.reduce((sum, item) => sum + item.models, 0)).toBe(2);
			expect(grouped.totals).toEqual(totals);
		}
	});
	it("shows a scientist only their own teams", async () => {
		await aJob("risk", 10, "succeeded", "succeeded");
		await aJob("vision", 10, "succeeded", "succeeded");
		const { items, totals } = await performanceBy(scientist("vision"), { ...day, groupBy: "team" });
		expect([items.map(({ key }) => key), totals.models]).toEqual([["vision"], 1]);
		expect((await performanceBy(scientist(), { ...day, groupBy: "team" })).items).toEqual([]);
	});
	it("adds readings of owned nodes to the hour, each GPU once, with the meter's name", async () => {
		await test.addPool(books);
		const report = (text: string) => reportGpuUse(books, { id: "local", node: "gpu-01", text });
		expect(await report("index, utilization.gpu [%]\n0, 80 %\n1, 40 %\n")).toEqual({ node: "gpu-01", gpus: 2, utilisation: 0.6 });
		await report("0, 100 %\n1, 60 %\n");
		const { totals, meters } = await performanceBy(books, { ...day, groupBy: "site" });
		expect([totals.gpuUtilisation, totals.measuredGpuHours, meters]).toEqual([0.7, 2, ["nvidia_smi"]]);
		await expect(reportGpuUse(books, { id: "nowhere", node: "n", text: "0, 1" })).rejects.toMatchObject({ code: "not_found" });
		await expect(reportGpuUse(scientist("risk"), { id: "x", node: "n", text: "0, 1" })).rejects.toMatchObject({ code: "forbidden" });
	});
	it("compares with the previous period, and months with each other", async () => {
		await aJob("risk", 10, "succeeded", "succeeded");
		const page = await performancePage(books, { fromMs: test.T0 - DAY_MS, toMs: test.T0 + 14 * HOUR_MS });
		expect(page.before.totals.models).toBe(0);
		expect(page.months.items.map(({ models }) => models)).toEqual([1]);
	});
});
