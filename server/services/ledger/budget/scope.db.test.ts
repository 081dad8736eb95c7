import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChargeDraft } from "#server/accounting/amounts.ts";
import { bucketStartMs } from "#server/accounting/calendar.ts";
import { calendarOf } from "#server/accounting/zone.ts";
import { budgetPeriod } from "#server/db/schema/budget.ts";
import { charge } from "#server/db/schema/charge.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { setLedgerZone } from "#server/services/core/ledger-calendar.ts";
import { listCharges } from "#server/services/reporting/spend/charges.ts";
import { meterAll } from "../charge/meter.ts";
import { postCharges } from "../charge/post-charges.ts";
import * as test from "../charge/testing/books.ts";
import { countBudgets } from "./count.ts";
import { budgetPeriodAt, countedCharges, periodsOfBudget } from "./counted-charges.ts";
import { findJobsInScope } from "./scope.ts";

let books: test.Books;
const jobs: Record<string, string> = {};

/** One hour of each of five machines at $1 to $16, so that every sum identifies the machines counted. */
beforeAll(async () => {
	books = await test.openBooks();
	await setLedgerZone(books, "Pacific/Auckland");
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

const found = (scope: string) =>
	books.db.transaction((tx) => findJobsInScope(tx, scope, bucketStartMs("month", books.clock.nowMs(), calendarOf("Pacific/Auckland"))));

describe("findJobsInScope", () => {
	it("evaluates nothing for a scope that covers everyone", async () => {
		expect(await found(" true ")).toEqual({ teams: null, groups: [], jobIds: [] });
	});

	it("uses a team's sums for a team scope, without reading its jobs", async () => {
		expect(await found('job.team == "risk"')).toEqual({ teams: ["risk"], groups: [], jobIds: [] });
	});

	it("uses the sums of those groups for a project or class scope", async () => {
		expect((await found('job.project == "fraud" && job.class == "burst"')).groups).toEqual([
			{ team: "risk", project: "fraud", class: "burst" },
		]);
	});

	it("reads jobs for a more specific scope only where team, project and class do not decide it", async () => {
		expect(await found('job.team == "vision" || job.project == "fraud" && job.gpus > 4')).toEqual({
			teams: ["vision"],
			groups: [],
			jobIds: [jobs["large"]],
		});
	});

	it("counts a job in a scope that cannot be evaluated for it, as at placement", async () => {
		const { jobIds } = await found('job.team == "risk" && job.labels.tier == "gold"');
		expect(jobIds.toSorted()).toEqual([jobs["fraud"], jobs["large"], jobs["score"]].toSorted());
	});
});

describe("the cost counted by scope", () => {
	it.each([
		["true", 31n],
		['job.team == "risk"', 1n + 2n + 4n],
		['job.project == "fraud"', 1n + 2n + 8n],
		['job.class == "experimental"', 8n],
		["job.gpus > 4", 2n + 8n],
		['job.team == "risk" || job.team == "vision"', 31n],
		['!(job.project == "fraud" || job.class == "experimental")', 4n + 16n],
		['job.gpus > 4 && job.team == "risk" && !job.hasDeadline && size(job.accelerators) == 0', 2n],
		['job.labels.tier == "gold"', 31n],
		['job.team == "vision" || job.project == "fraud" && job.gpus > 4', 2n + 8n + 16n],
		['job.team == "nlp"', 0n],
	])("%s: $%s of the five machines at $1, 2, 4, 8 and 16", async (scope, dollars) => {
		const id = `b-${scope.slice(0, 60)}`;
		await books.db.transaction((tx) => countBudgets(tx, [test.aBudget({ id, scope })], books.clock.nowMs()));
		const rows = (await books.db.select().from(budgetPeriod)).filter((row) => row.budgetId === id);
		expect(rows.reduce((sum, row) => sum + row.postedMicroUsd, 0n)).toBe(dollars * 1_000_000n);
		const [{ jobs: ofJobs, days } = { jobs: "", days: "" }] = await books.database.sql<{ jobs: string; days: string }[]>`
			select (select coalesce(sum(posted_micro_usd), 0) from budget_job where budget_id = ${id})::text as jobs,
				(select coalesce(sum(posted_micro_usd), 0) from budget_day where budget_id = ${id})::text as days`;
		expect([ofJobs, days]).toEqual([`${dollars * 1_000_000n}`, `${dollars * 1_000_000n}`]);
		const { charges, ...counted } = await countedIn(id);
		expect(counted).toEqual({ effective: dollars * 1_000_000n, posted: dollars * 1_000_000n });
		expect(charges > 0n).toBe(dollars > 0n);
	});
});

/** The charges behind a budget's current period. */
async function countedIn(id: string) {
	const { fromMs, toMs } = await budgetPeriodAt(books, { id });
	const { totals, budget, items } = await listCharges(books, { fromMs, toMs, budget: id, limit: 500 });
	expect(items.reduce((sum, item) => sum + item.effectiveMicroUsd, 0n)).toBe(totals.effectiveMicroUsd);
	expect(BigInt(items.length)).toBe(totals.charges);
	// A lookup of the job for each charge, as for a budget with many jobs, gives the same result.
	const range = { fromMs, toMs };
	const periods = await periodsOfBudget(books.db, id, { range, calendar: calendarOf("Pacific/Auckland") });
	const ids = (how: "each" | "all") =>
		books.db
			.select({ id: charge.id })
			.from(charge)
			.where(countedCharges(id, periods, how))
			.orderBy(charge.id);
	expect(await ids("each")).toEqual(await ids("all"));
	expect(await ids("all")).toHaveLength(items.length);
	return { charges: totals.charges, effective: totals.effectiveMicroUsd, posted: budget?.postedMicroUsd };
}

describe("the charges behind a budget", () => {
	it("are those of the ledger's months: Auckland's November begins half an hour before the end of a $64 hour", async () => {
		const { instanceId } = await test.addMachine(books, {
			...{ team: "tui", gpus: 2, microUsdPerHour: 64_000_000n, launchedMs: Date.UTC(2026, 9, 31, 10, 30) },
		});
		await test.terminate(books, instanceId, Date.UTC(2026, 9, 31, 11, 30));
		await meterAll(books);
		for (const [period, posted, charges] of [
			["month", 32_000_000n, 1n],
			["quarter", 64_000_000n, 2n],
		] as const) {
			const rule = test.aBudget({ id: `two-${period}`, scope: "job.gpus == 2", period });
			await books.db.transaction((tx) => countBudgets(tx, [rule], books.clock.nowMs()));
			const { key } = await budgetPeriodAt(books, { id: rule.id });
			expect((await test.readBudget(books, rule.id, key)).posted).toBe(posted);
			expect(await countedIn(rule.id)).toEqual({ charges, effective: posted, posted });
		}
		// October has nothing for the monthly budget: counting starts when the budget is created.
		expect(await budgetPeriodAt(books, { id: "two-month", period: "2026-10-31" })).toMatchObject({ key: "2026-10-01" });
	});

	it("count reserved capacity at the billed amount of its usage, as the budget does: $5 effective and $0 billed next to $7 on demand", async () => {
		const machine = { team: "kea", gpus: 3, microUsdPerHour: 7_000_000n, capacityType: "on_demand" } as const;
		const { instanceId, jobId, attemptId } = await test.addMachine(books, machine);
		const atMs = books.clock.nowMs();
		books.clock.advance(HOUR_MS);
		await meterAll(books);
		const money = { listMicroUsd: 5_000_000n, contractedMicroUsd: 5_000_000n, effectiveMicroUsd: 5_000_000n, billedMicroUsd: 0n };
		const carbon = { emissionsMilligrams: null, marketEmissionsMilligrams: null, embodiedMilligrams: null };
		const place = { siteId: "aws", provider: "aws", region: "us-east-1", accelerator: "A10G-24GB", capacityType: "reserved" } as const;
		const charge: ChargeDraft = {
			...{ periodStartMs: atMs, periodEndMs: atMs + HOUR_MS, jobId, attemptId, instanceId, allocationId: null, poolId: null },
			...{ billLineId: null, correction: null, gpuMs: 0n, energyMilliWh: 0n, measuredEnergyMilliWh: 0n, hourlyGridMilliWh: 0n },
			...money,
			...carbon,
			dimensions: { ...place, team: "kea", project: "fraud", class: "burst", kind: "compute" },
		};
		await books.db.transaction((tx) => postCharges(tx, [charge], books.clock.nowMs()));
		const rule = test.aBudget({ id: "three", scope: "job.gpus == 3" });
		await books.db.transaction((tx) => countBudgets(tx, [rule], books.clock.nowMs()));
		expect((await test.readBudget(books, "three", "2026-11-01")).posted).toBe(7_000_000n);
		expect(await countedIn("three")).toEqual({ charges: 2n, effective: 12_000_000n, posted: 7_000_000n });
	});

	it("fail for a budget that was in no policy, and contain only the reader's teams", async () => {
		const range = { fromMs: test.T0, toMs: test.T0 + HOUR_MS };
		await expect(listCharges(books, { ...range, budget: "nobody" })).rejects.toMatchObject({ code: "not_found" });
		const id = "b-job.gpus > 4";
		const actor = { kind: "person", accountId: "usr_1", name: "Ada", role: "data_scientist", teams: ["risk"], via: "session" } as const;
		const { totals, budget } = await listCharges({ ...books, actor }, { ...range, budget: id });
		expect([totals.effectiveMicroUsd, budget?.postedMicroUsd]).toEqual([2_000_000n, 2_000_000n]);
	});
});
