import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pool, site } from "#server/db/schema/site.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import { ManualClock } from "#server/kernel/clock.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { demoPolicy } from "#server/policy/demo-policy.ts";
import { systemContext } from "#server/services/core/context.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { ledgerCheck } from "#server/services/ledger/charge/check.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { type DemoHistory, importDemoHistory } from "./import-demo-history.ts";

const NOW_MS = Date.UTC(2026, 10, 21, 14, 30, 20, 123);
const DAYS = 60;
const PRICE = 780_417n;
const SLOTS = 4;
const clock = new ManualClock(NOW_MS);
let database: TestDatabase;
let history: DemoHistory | null;

/** One row of numbers, as text, from separate SQL. */
async function ask(query: string): Promise<Record<string, string>> {
	const [row] = await database.sql.unsafe(query);
	return Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, String(value)]));
}

beforeAll(async () => {
	database = await createTestDatabase();
	const ctx = systemContext(database.db, clock, "seed");
	await database.db.insert(site).values([
		{ id: "local", name: "This host", provider: "local", settings: { gridZone: "DE", pue: 1.58 } },
		{ id: "aws", name: "AWS", provider: "aws", settings: { regions: ["us-east-1", "us-east-2", "eu-west-1"] } },
	]);
	await database.db.insert(pool).values({
		id: "local",
		siteId: "local",
		accelerator: "L40S-48GB",
		nodes: 1,
		gpusPerNode: SLOTS,
		unavailableSlots: [],
		microUsdPerGpuHour: PRICE,
		wattsPerGpu: 590,
		ownedSince: new Date(NOW_MS),
	});
	await publishPolicy(ctx, { name: "default", source: demoPolicy(), message: "test" });
	history = await importDemoHistory({ db: database.db, clock }, { days: DAYS, seed: 20_261_121 });
});
afterAll(() => database.drop());

describe("the demo's imported history", () => {
	it("ends just before now, is recorded in its setting, and a second import changes nothing", async () => {
		expect(history).toMatchObject({ toMs: NOW_MS - 123, fromMs: NOW_MS - 123 - DAYS * DAY_MS, seed: 20_261_121 });
		const before = await ask("select count(*) as jobs, (select count(*) from charge) as charges from job");
		expect(await importDemoHistory({ db: database.db, clock }, { days: DAYS, seed: 7 })).toBeNull();
		expect(await ask("select count(*) as jobs, (select count(*) from charge) as charges from job")).toEqual(before);
		const [stored] = await database.sql`select value from setting where key = 'demo_history'`;
		expect(stored?.["value"]).toEqual(history);
	});

	it("simulates a meter at home for each whole hour, marked as simulated, from 0 to busy", async () => {
		const row = await ask(
			"select count(*) as hours, min(meter) as meter, max(permille / readings) <= 1000 as bounded, sum(permille) > 0 as busy from home_gpu_hour",
		);
		expect(row).toEqual({ hours: String(DAYS * 24 - 1), meter: "simulated", bounded: "true", busy: "true" });
	});

	it("leaves nothing alive: every job, attempt and instance has ended, within the span, with a reason, and is marked synthetic", async () => {
		const span = `'${new Date(history?.fromMs ?? 0).toISOString()}' and '${new Date(history?.toMs ?? 0).toISOString()}'`;
		const row = await ask(`select
			(select count(*) from job where state not in ('succeeded','failed','cancelled') or not synthetic or finished_at not between ${span}) as jobs,
			(select count(*) from attempt where finished_at is null or reason->>'code' is null) as attempts,
			(select count(*) from instance where state <> 'terminated' or terminated_at not between ${span}) as instances,
			(select count(*) from allocation where ended_at is null or metered_until <> ended_at) as allocations,
			(select count(*) from hold where state = 'pending') as holds,
			(select count(*) from budget_period where held_micro_usd <> 0) as held`);
		expect(row).toEqual({ jobs: "0", attempts: "0", instances: "0", allocations: "0", holds: "0", held: "0" });
	});

	it("has rollups that equal the sums of its charges, by hour, day and month", async () => {
		const check = await ledgerCheck({ db: database.db, clock });
		expect(check.differences).toEqual([]);
		expect(check.totals.hour).toBe(check.totals.charges);
		expect(check.totals.month).toBe(check.totals.charges);
		expect(check.totals.charges).toBeGreaterThan(0n);
	});

	it("charges owned capacity once: used + idle = 4 GPUs × 60 days × the price, to the micro-dollar", async () => {
		const { owned } = await ask("select sum(effective_micro_usd) as owned from charge where capacity_type = 'owned'");
		const upTo = (ms: number): bigint => (PRICE * BigInt(ms)) / BigInt(HOUR_MS);
		expect(owned).toBe(String(BigInt(SLOTS) * (upTo(history?.toMs ?? 0) - upTo(history?.fromMs ?? 0))));
	});

	it("posts each month's cloud cost to that month's budget, well below the cap", async () => {
		const months = await database.sql`
			select p.period_key as key, p.posted_micro_usd::text as posted,
				(select coalesce(sum(billed_micro_usd), 0)::text from charge where instance_id is not null and to_char(period_start at time zone 'UTC', 'YYYY-MM-01') = p.period_key) as charged
			from budget_period p where budget_id = 'cloud-month' order by 1`;
		expect(months.length).toBeGreaterThanOrEqual(2);
		for (const month of months) {
			expect(month["posted"]).toBe(month["charged"]);
			expect(BigInt(String(month["posted"]))).toBeLessThan(400_000_000n);
		}
	});

	it("sums up each job's charges in the job", async () => {
		const { wrong } = await ask(`select count(*) as wrong from job where cost_micro_usd <>
			(select coalesce(sum(effective_micro_usd), 0) from charge where charge.job_id = job.id)`);
		expect(wrong).toBe("0");
	});

	it("looks like a real workplace: 15 to 30 jobs a day, slots half to nearly full, bursts to spot and on-demand, queues, ends of all kinds", async () => {
		const row = await ask(`select
			(select count(*) from job) as jobs,
			(select round(100 * sum(extract(epoch from ended_at - started_at) * cardinality(slots)) / (${DAYS} * 86400.0 * ${SLOTS})) from allocation) as used,
			(select count(*) from attempt where state = 'succeeded' and capacity_type = 'spot') as spot,
			(select count(*) from attempt where state = 'succeeded' and capacity_type = 'on_demand') as on_demand,
			(select count(*) from attempt where state = 'succeeded' and capacity_type = 'owned') as owned,
			(select count(*) from attempt where state = 'interrupted') as interrupted,
			(select count(distinct state) from job) as ends,
			(select count(*) from job where started_at - submitted_at > interval '10 minutes') as queued,
			(select count(distinct team) from job) as teams,
			(select count(*) from attempt where not exists (select 1 from decision where decision.job_id = attempt.job_id and attempt_number = attempt.number)) as unexplained,
			(select count(*) from event) as events`);
		const n = (name: string): number => Number(row[name]);
		expect(n("jobs") / DAYS).toBeGreaterThan(15);
		expect(n("jobs") / DAYS).toBeLessThan(30);
		expect(n("used")).toBeGreaterThanOrEqual(50);
		expect(n("used")).toBeLessThanOrEqual(95);
		for (const some of ["spot", "on_demand", "owned", "interrupted", "queued", "events"]) expect(n(some), some).toBeGreaterThan(5);
		expect(row).toMatchObject({ ends: "3", teams: "5", unexplained: "0" });
	});

	it("is continued by the meter: an hour later exactly an idle hour of four slots is added", async () => {
		const sum = "select sum(effective_micro_usd) as total from charge";
		const { total: before } = await ask(sum);
		const later = (history?.toMs ?? 0) + HOUR_MS;
		await meterAll({ db: database.db, clock: { nowMs: () => later } });
		const { total: after } = await ask(sum);
		expect(BigInt(after ?? 0) - BigInt(before ?? 0)).toBe(BigInt(SLOTS) * PRICE);
	});
});
