import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bucketStartMs } from "#server/accounting/calendar.ts";
import { budgetPeriod } from "#server/db/schema/budget.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { meterAll } from "../ledger/meter.ts";
import * as test from "../ledger/testing/books.ts";
import { countBudgets } from "./count.ts";
import { findJobsInScope } from "./scope.ts";

let books: test.Books;
const jobs: Record<string, string> = {};

/** An hour each of five machines at $1 to $16, so that every sum tells which were counted. */
beforeAll(async () => {
	books = await test.openBooks();
	const machines = [
		{ name: "fraud", team: "risk", project: "fraud", gpus: 1, microUsdPerHour: 1_000_000n },
		{ name: "large", team: "risk", project: "fraud", gpus: 8, microUsdPerHour: 2_000_000n },
		{ name: "score", team: "risk", project: "score", gpus: 1, microUsdPerHour: 4_000_000n },
		{ name: "nightly", team: "vision", project: "fraud", class: "experimental" as const, gpus: 8, microUsdPerHour: 8_000_000n },
		{ name: "vision", team: "vision", project: "vision", gpus: 1, microUsdPerHour: 16_000_000n },
	];
	for (const { name, ...machine } of machines) jobs[name] = (await test.addMachine(books, machine)).jobId;
	books.clock.advance(HOUR_MS);
	await meterAll(books);
});
afterAll(() => books.database.drop());

const found = (scope: string) => books.db.transaction((tx) => findJobsInScope(tx, scope, bucketStartMs("month", books.clock.nowMs())));

describe("findJobsInScope", () => {
	it("everybody's scope asks nothing of anybody", async () => {
		expect(await found(" true ")).toEqual({ teams: null, groups: [], jobIds: [] });
	});

	it("a scope of a team is that team's sums, without a look at its jobs", async () => {
		expect(await found('job.team == "risk"')).toEqual({ teams: ["risk"], groups: [], jobIds: [] });
	});

	it("a scope of a project or a class is the sums of those groups", async () => {
		expect((await found('job.project == "fraud" && job.class == "burst"')).groups).toEqual([
			{ team: "risk", project: "fraud", class: "burst" },
		]);
	});

	it("a scope that asks for more looks at jobs only where team, project and class leave it open", async () => {
		expect(await found('job.team == "vision" || job.project == "fraud" && job.gpus > 4')).toEqual({
			teams: ["vision"],
			groups: [],
			jobIds: [jobs["large"]],
		});
	});

	it("a scope without an answer for a job holds it, as at its placement", async () => {
		const { jobIds } = await found('job.team == "risk" && job.labels.tier == "gold"');
		expect(jobIds.toSorted()).toEqual([jobs["fraud"], jobs["large"], jobs["score"]].toSorted());
	});
});

describe("what each scope counts", () => {
	it.each([
		["true", 31n],
		['job.team == "risk"', 1n + 2n + 4n],
		['job.project == "fraud"', 1n + 2n + 8n],
		['job.class == "experimental"', 8n],
		["job.gpus > 4", 2n + 8n],
		['job.team == "vision" || job.project == "fraud" && job.gpus > 4', 2n + 8n + 16n],
		['job.team == "nlp"', 0n],
	])("%s: $%s of the five machines at $1, 2, 4, 8 and 16", async (scope, dollars) => {
		const id = `b-${scope}`;
		await books.db.transaction((tx) => countBudgets(tx, [test.aBudget({ id, scope })], books.clock.nowMs()));
		const rows = (await books.db.select().from(budgetPeriod)).filter((row) => row.budgetId === id);
		expect(rows.reduce((sum, row) => sum + row.postedMicroUsd, 0n)).toBe(dollars * 1_000_000n);
		const [{ jobs: ofJobs, days } = { jobs: "", days: "" }] = await books.database.sql<{ jobs: string; days: string }[]>`
			select (select coalesce(sum(posted_micro_usd), 0) from budget_job where budget_id = ${id})::text as jobs,
				(select coalesce(sum(posted_micro_usd), 0) from budget_day where budget_id = ${id})::text as days`;
		expect([ofJobs, days]).toEqual([`${dollars * 1_000_000n}`, `${dollars * 1_000_000n}`]);
	});
});
