import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { job } from "#server/db/schema/job.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import * as test from "#server/services/ledger/charge/testing/books.ts";
import { forecastDemand } from "./demand-forecast.ts";

let books: test.Books;
beforeEach(async () => {
	books = await test.openBooks();
});
afterEach(async () => {
	await books.database.drop();
});

describe("the demand forecast", () => {
	it("is empty before a day of jobs", async () => {
		await test.addJob(books, { gpus: 4 });
		expect((await forecastDemand(books)).items).toEqual([]);
	});
	it("continues from current demand, in total and by team", async () => {
		for (const [team, gpus] of [
			["risk", 4],
			["vision", 2],
		] as const) {
			const id = await test.addJob(books, { team, gpus });
			await books.db
				.update(job)
				.set({ submittedAt: new Date(test.T0 - 48 * HOUR_MS) })
				.where(eq(job.id, id));
		}
		const total = await forecastDemand(books, { hours: 3 });
		expect([total.learnedHours, total.items[0]?.points.map(({ p50 }) => p50)]).toEqual([48, [6, 6, 6]]);
		expect(total.items[0]?.points[0]?.at).toBe(new Date(test.T0).toISOString());
		const byTeam = await forecastDemand(books, { hours: 1, groupBy: "team" });
		expect(byTeam.items.map(({ key, points }) => [key, points[0]?.p50])).toEqual([
			["risk", 4],
			["vision", 2],
		]);
		const actor = { kind: "person", accountId: "a", name: "A", role: "data_scientist", teams: ["vision"], via: "session" } as const;
		const own = await forecastDemand({ ...books, actor }, { hours: 1, groupBy: "team" });
		expect(own.items.map(({ key }) => key)).toEqual(["vision"]);
	});
});
