import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { job } from "#server/db/schema/job.ts";
import { waitForecast } from "#server/db/schema/wait-forecast.ts";
import type { Placement } from "#server/domain/capacity.ts";
import type { TimeRange } from "#server/domain/decision.ts";
import { reason } from "#server/domain/reasons.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { horizonOf } from "#server/scheduling/forecast/calibrate.ts";
import { aJob, aSnapshot } from "#server/scheduling/testing/builders.ts";
import type { Plan, Snapshot } from "#server/scheduling/types.ts";
import type { Actor } from "#server/services/core/context.ts";
import * as test from "#server/services/ledger/charge/testing/books.ts";
import { type ForecastMemory, newForecastMemory, recordForecasts, settleForecasts } from "./record.ts";
import { forecastScale } from "./scale.ts";
import { readForecastScore, scoreOfHorizon } from "./score.ts";

const HOME: Placement = {
	siteId: "home",
	provider: "local",
	region: null,
	zone: null,
	capacityType: "owned",
	instanceType: null,
	poolId: "gpu",
	accelerator: "A100-80GB",
};
const CLOUD: Placement = { ...HOME, siteId: "aws", provider: "aws", region: "us-east-1", capacityType: "spot", poolId: null };
const VIEWER: Actor = { kind: "person", accountId: "usr_1", name: "V", role: "data_scientist", teams: ["risk"], via: "session" };

let books: test.Books;
let memory: ForecastMemory;
beforeAll(async () => {
	books = await test.openBooks();
	memory = newForecastMemory();
});
afterAll(() => books.database.drop());

/** A cycle in which the job waits with these forecasts. */
async function recordCycle(jobId: string, waits: { p50Ms: number; p90Ms: number }, replayed = waits): Promise<void> {
	const nowMs = books.clock.nowMs();
	const moments = (w: { p50Ms: number; p90Ms: number }): TimeRange => ({ p50Ms: nowMs + w.p50Ms, p90Ms: nowMs + w.p90Ms });
	const snapshot: Snapshot = aSnapshot({ nowMs, pending: [{ ...aJob("x").build(), jobId }] });
	const plan: Plan = {
		actions: [],
		explanations: [],
		forecasts: new Map([[jobId, moments(waits)]]),
		replayed: new Map([[jobId, moments(replayed)]]),
		waiting: new Map([[jobId, reason("submitted")]]),
	};
	await recordForecasts(books.db, snapshot, plan, memory);
}

async function placed(jobId: string, placement: Placement): Promise<void> {
	await test.addAttempt(books, jobId, 1, placement, 1);
	await settleForecasts(books.db);
}

const horizonScore = async (horizon: string) =>
	(await readForecastScore({ ...books, actor: VIEWER })).horizons.find((h) => h.horizon === horizon);

describe("forecasts of the wait", () => {
	it("are recorded once per horizon, the first marked, and scored when the job starts at home", async () => {
		const jobId = await test.addJob(books);
		await recordCycle(jobId, { p50Ms: 2 * HOUR_MS, p90Ms: 4 * HOUR_MS });
		books.clock.advance(SECOND_MS);
		await recordCycle(jobId, { p50Ms: 2 * HOUR_MS, p90Ms: 4 * HOUR_MS });
		books.clock.advance(HOUR_MS);
		await recordCycle(jobId, { p50Ms: 20 * MINUTE_MS, p90Ms: 40 * MINUTE_MS });
		books.clock.advance(30 * MINUTE_MS);
		await placed(jobId, HOME);
		const rows = await books.db.select().from(waitForecast).where(eq(waitForecast.jobId, jobId)).orderBy(waitForecast.id);
		expect(rows.map((r) => [r.horizon, r.first, r.outcome])).toEqual([
			[horizonOf(2 * HOUR_MS), true, "started"],
			[horizonOf(20 * MINUTE_MS), false, "started"],
		]);
		// The wait was 1 h 30 min 1 s: within the first forecast's median; half an hour above the second's, but within its P90.
		expect(await horizonScore("3h")).toMatchObject({ count: 1, p50Covered: 1, p90Covered: 1, open: 0 });
		expect(await horizonScore("30m")).toMatchObject({ count: 1, p50Covered: 0, p90Covered: 1 });
		expect(await scoreOfHorizon(books.db, horizonOf(20 * MINUTE_MS))).toEqual({ count: 1, p50Covered: 0, p90Covered: 1 });
		expect(await scoreOfHorizon(books.db, horizonOf(200 * HOUR_MS))).toBeNull();
		// For quotes only the first forecast counts.
		const { quotes } = await readForecastScore({ ...books, actor: VIEWER });
		expect(quotes).toMatchObject({ count: 1, p50Covered: 1, p90Covered: 1 });
		expect(quotes.horizons.filter((h) => h.count > 0).map((h) => h.horizon)).toEqual(["3h"]);
		expect(await scoreOfHorizon(books.db, horizonOf(20 * MINUTE_MS), "quotes")).toBeNull();
	});

	it("are censored if the job bursts before their P90, and missed after it", async () => {
		const early = await test.addJob(books);
		const late = await test.addJob(books);
		await recordCycle(early, { p50Ms: 7 * MINUTE_MS, p90Ms: 20 * MINUTE_MS });
		memory = newForecastMemory();
		await recordCycle(late, { p50Ms: 6 * MINUTE_MS, p90Ms: 8 * MINUTE_MS });
		books.clock.advance(10 * MINUTE_MS);
		await placed(early, CLOUD);
		await placed(late, CLOUD);
		expect(await horizonScore("10m")).toMatchObject({ count: 1, p50Covered: 0, p90Covered: 0, censored: 1 });
	});

	it("are censored for a job cancelled while it waited", async () => {
		const jobId = await test.addJob(books);
		await recordCycle(jobId, { p50Ms: 90 * SECOND_MS, p90Ms: 100 * SECOND_MS });
		expect(await horizonScore("3m")).toMatchObject({ count: 0, open: 1 });
		books.clock.advance(MINUTE_MS);
		await books.db
			.update(job)
			.set({ state: "cancelled", finishedAt: new Date(books.clock.nowMs()) })
			.where(eq(job.id, jobId));
		await settleForecasts(books.db);
		expect(await horizonScore("3m")).toMatchObject({ count: 0, open: 0, censored: 1 });
	});

	it("make the next ones longer if they were ten times too short", async () => {
		const fresh = await forecastScale(books.db, books.clock.nowMs());
		for (let i = 0; i < 60; i++) {
			const jobId = await test.addJob(books);
			await recordCycle(jobId, { p50Ms: 40 * MINUTE_MS, p90Ms: 50 * MINUTE_MS });
			books.clock.advance(400 * MINUTE_MS);
			await placed(jobId, HOME);
		}
		const scale = await forecastScale(books.db, books.clock.nowMs());
		const step = horizonOf(40 * MINUTE_MS);
		expect(fresh.steps[step]?.p50).toBeLessThan(3);
		expect(scale.steps[step]?.p50).toBeGreaterThan(5);
		expect(scale.steps[step]?.p90).toBeGreaterThan(4);
	});
});
