import { asc } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { alert, delivery } from "#server/db/schema/alert.ts";
import { newId } from "#server/kernel/ids.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { demoPolicy } from "#server/policy/demo-policy.ts";
import type { Actor } from "#server/services/core/context.ts";
import { changeCap } from "#server/services/governance/budget-cap/change-cap.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { getBudget } from "#server/services/ledger/budget/get.ts";
import { placeHold } from "#server/services/ledger/budget/place-hold.ts";
import { settleInstance } from "#server/services/ledger/charge/settle.ts";
import * as test from "#server/services/ledger/charge/testing/books.ts";
import { countOpenAlerts, listAlerts } from "#server/services/notification/alert/list.ts";
import { createChannel } from "#server/services/notification/channel/create.ts";
import { evaluateAlerts } from "./evaluate.ts";

let books: test.Books;
beforeEach(async () => {
	books = await test.openBooks();
	await publishPolicy(books, { name: "default", source: demoPolicy({ capUsd: 100 }), message: "first" });
});
afterEach(() => books.database.drop());

const person = (role: "finance" | "data_scientist", teams: string[] = []): Actor => ({
	...{ kind: "person", accountId: "usr_1", name: "P", role, teams, via: "session" },
});
const mail = (topics: string[], team: string | null = null) =>
	createChannel(
		{ ...books, secret: "a secret of this test" },
		{ kind: "email", name: `mail ${topics[0]}`, topics: topics as ["budget_threshold"], team, recipients: ["cfo@acme.test"] },
	);
/** A terminated machine that ran this long for this many dollars. */
async function spend(usd: number, team = "risk", hours = 1): Promise<string> {
	const { instanceId, jobId } = await test.addMachine(books, { team, microUsdPerHour: BigInt(Math.round((usd * 1e6) / hours)) });
	const budgets = [test.aBudget({ capMicroUsd: 10n ** 15n })];
	await books.db.transaction((tx) =>
		placeHold(tx, { holds: [{ instanceId, amountMicroUsd: 10n ** 9n }], budgets, nowMs: books.clock.nowMs() }),
	);
	books.clock.advance(hours * HOUR_MS);
	await test.terminate(books, instanceId);
	await settleInstance(books, instanceId);
	return jobId;
}
const open = () => books.db.select().from(alert).orderBy(asc(alert.openedAt), asc(alert.id));

describe("evaluateAlerts", () => {
	it("opens one alert of 80% for $82 of $100, with one mail in the outbox, and nothing more at the next evaluation", async () => {
		await mail(["budget_threshold"]);
		await mail(["spend_anomaly"]);
		await spend(82);
		expect(await evaluateAlerts(books)).toEqual({ opened: 1, closed: 0 });
		expect(await evaluateAlerts(books)).toEqual({ opened: 0, closed: 0 });
		const [row] = await open();
		expect(row).toMatchObject({ rule: "budget_threshold", subject: "cloud-month/2026-11-01/80", closedAt: null });
		const sent = await books.db.select().from(delivery);
		expect(sent).toMatchObject([
			{
				...{ about: `alert:${row?.id}`, state: "pending" },
				message: { title: "Budget cloud-month has passed 80% of its cap", link: `/budgets?alert=${row?.id}#alerts` },
			},
		]);
		expect(sent[0]?.message.text).toContain("$82.00 of $100.00 is posted");
	});

	it("opens and sends an alert once for ten concurrent evaluations", async () => {
		await mail(["budget_threshold"]);
		await spend(82);
		const results = await Promise.all(Array.from({ length: 10 }, () => evaluateAlerts(books)));
		expect(results.reduce((sum, r) => sum + r.opened, 0)).toBe(1);
		expect(await books.db.$count(delivery)).toBe(1);
	});

	it("closes when the cap is raised, and opens again when that cap is exceeded too", async () => {
		await spend(82);
		await evaluateAlerts(books);
		const raise = (capUsd: string) => changeCap(books, { budgetId: "cloud-month", capUsd, message: "more" });
		await raise("1000");
		expect(await evaluateAlerts(books)).toEqual({ opened: 0, closed: 1 });
		await raise("90");
		expect(await evaluateAlerts(books)).toEqual({ opened: 1, closed: 0 });
		const finance = { ...books, actor: person("finance") };
		expect((await listAlerts(finance, { state: "past" })).items).toHaveLength(1);
		expect((await listAlerts(finance, { state: "open" })).items).toHaveLength(1);
		expect((await countOpenAlerts(finance)).count).toBe(1);
	});

	it("sends a team's Tuesday of $900 after six of about $200 with the numbers and the most expensive job, to its own people", async () => {
		for (let week = 0; week < 6; week++) {
			await spend(200 + week, "vision");
			books.clock.advance(7 * DAY_MS - HOUR_MS);
		}
		const jobId = await spend(900, "vision");
		await evaluateAlerts(books);
		const found = (await open()).find((a) => a.rule === "spend_anomaly");
		expect(found).toMatchObject({ team: "vision", subject: "vision/2026-12-22" });
		// Median of 200..205 is 202.5; deviations are 2.5, 1.5, 0.5 twice: their median is 1.5.
		expect(found?.facts).toMatchObject({
			microUsd: "900000000",
			medianMicroUsd: "202500000",
			deviationMicroUsd: "1500000",
			weeks: 6,
			jobId,
		});
		expect((await listAlerts({ ...books, actor: person("data_scientist", ["vision"]) }, { rule: "spend_anomaly" })).items).toHaveLength(1);
		expect((await listAlerts({ ...books, actor: person("data_scientist", ["risk"]) }, { rule: "spend_anomaly" })).items).toEqual([]);
		books.clock.advance(2 * DAY_MS);
		await evaluateAlerts(books);
		expect((await open()).find((a) => a.rule === "spend_anomaly")?.closedAt).not.toBeNull();
	});

	it("keeps a machine at risk until it is seen terminated", async () => {
		const { instanceId } = await test.addMachine(books, { team: "risk" });
		books.clock.advance(25 * HOUR_MS);
		await evaluateAlerts(books);
		const atRisk = async () => (await open()).find(({ rule }) => rule === "money_at_risk");
		expect(await atRisk()).toMatchObject({ subject: instanceId, team: "risk", facts: { why: "past_expiry" } });
		await test.terminate(books, instanceId);
		await evaluateAlerts(books);
		expect((await atRisk())?.closedAt).not.toBeNull();
	});

	it("sends alerts opened elsewhere once, to existing channels, and leaves them open until they are closed there", async () => {
		await mail(["billed_unknown"]);
		const facts = { provider: "aws", resourceId: "i-0abc", billedMicroUsd: "12000000", month: "2026-10" };
		await books.db.insert(alert).values({
			...{ id: newId("alrt", books.clock.nowMs()), rule: "billed_unknown", subject: "aws/i-0abc", facts },
			openedAt: new Date(books.clock.nowMs()),
		});
		await evaluateAlerts(books);
		books.clock.advance(MINUTE_MS);
		await mail(["billed_unknown"]);
		await evaluateAlerts(books);
		const sent = await books.db.select().from(delivery);
		expect(sent).toHaveLength(1);
		expect(sent[0]?.message.text).toContain("i-0abc in 2026-10: $12.00 was billed");
		expect((await open())[0]?.closedAt).toBeNull();
	});

	it("opens nothing without a policy", async () => {
		const empty = await test.openBooks();
		expect(await evaluateAlerts(empty)).toEqual({ opened: 0, closed: 0 });
		await empty.database.drop();
	});
});

describe("getBudget", () => {
	it("returns days, teams and jobs that each add up to the posted sum; a data scientist sees their own teams, and one sum for the others", async () => {
		await spend(30, "risk");
		books.clock.advance(DAY_MS);
		await spend(12, "vision");
		const all = await getBudget({ ...books, actor: person("finance") }, { id: "cloud-month" });
		expect(all).toMatchObject({
			postedMicroUsd: 42_000_000n,
			freeMicroUsd: 58_000_000n,
			machines: 0,
			otherTeamsMicroUsd: 0n,
			policyVersion: 1,
		});
		expect(all.days).toHaveLength(11);
		expect(all.days.reduce((sum, d) => sum + d.postedMicroUsd, 0n)).toBe(42_000_000n);
		expect(all.teams).toEqual([
			{ team: "risk", postedMicroUsd: 30_000_000n },
			{ team: "vision", postedMicroUsd: 12_000_000n },
		]);
		expect(all.jobs.map((j) => j.postedMicroUsd)).toEqual([30_000_000n, 12_000_000n]);
		const own = await getBudget({ ...books, actor: person("data_scientist", ["vision"]) }, { id: "cloud-month" });
		expect(own).toMatchObject({ teams: [{ team: "vision" }], otherTeamsMicroUsd: 30_000_000n });
		expect(own.jobs).toHaveLength(1);
		await expect(getBudget(books, { id: "nobody" })).rejects.toMatchObject({ code: "not_found" });
	});

	it("shows past November with its cap at the time, and in December a forecast of 40 + 10 × 14 h / 24 h + 26 × 10 = $305.83", async () => {
		for (let day = 0; day < 25; day++) {
			await spend(10);
			books.clock.advance(23 * HOUR_MS);
		}
		// 5 December 10:00, nothing spent today: 4 whole days of December at $10 are posted.
		await changeCap(books, { budgetId: "cloud-month", capUsd: "400", message: "for December" });
		const now = await getBudget(books, { id: "cloud-month" });
		expect(now).toMatchObject({ periodKey: "2026-12-01", postedMicroUsd: 40_000_000n, capMicroUsd: 400_000_000n });
		expect(now.history).toMatchObject([{ periodKey: "2026-11-01", postedMicroUsd: 210_000_000n, capMicroUsd: 100_000_000n }]);
		// 14 remaining hours of today and 26 days, each at $10, without any spread.
		const expected = 40_000_000n + (14n * 10_000_000n) / 24n + 260_000_000n;
		expect(now.forecast).toMatchObject({ expectedMicroUsd: expected, lowMicroUsd: expected, highMicroUsd: expected });
		expect(now.ahead.at(-1)).toMatchObject({ atMs: Date.UTC(2027, 0), expectedMicroUsd: expected });
		const past = await getBudget(books, { id: "cloud-month", period: "2026-11-01" });
		expect(past).toMatchObject({ postedMicroUsd: 210_000_000n, capMicroUsd: 100_000_000n, freeMicroUsd: -110_000_000n, forecast: null });
		expect(past.days).toHaveLength(30);
		await expect(getBudget(books, { id: "cloud-month", period: "2026-10-01" })).rejects.toMatchObject({ code: "not_found" });
	});
});
