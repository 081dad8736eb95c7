import { describe, expect, it } from "vitest";
import { DAY_MS } from "../kernel/units.ts";
import type { AlertBudget, AlertFacts, AlertTeamDay } from "./alert-facts.ts";
import { alertWords } from "./alert-sentences.ts";
import { decideAlerts, medianOf } from "./decide-alerts.ts";
import { isExpiring } from "./expiry.ts";

const usd = (n: number) => BigInt(Math.round(n * 1e6));
const budget = (changes: Partial<AlertBudget> = {}): AlertBudget => ({
	...{ id: "cloud-month", team: null, periodKey: "2026-11-01", periodEndMs: Date.UTC(2026, 11) },
	...{ capMicroUsd: usd(1000), postedMicroUsd: 0n, heldMicroUsd: 0n, forecast: null },
	...changes,
});
const forecast = (low: number, expected: number, high: number) => ({
	lowMicroUsd: usd(low),
	expectedMicroUsd: usd(expected),
	highMicroUsd: usd(high),
});
const day = (amount: number, usual: number[]): AlertTeamDay => ({
	...{ team: "vision", dayStartMs: Date.UTC(2026, 10, 19), dayKey: "2026-11-19" },
	...{ microUsd: usd(amount), usualMicroUsd: usual.map(usd) },
});
const facts = (changes: Partial<AlertFacts>): AlertFacts => ({
	settings: { thresholdsPercent: [50, 80, 100], anomalyFloorMicroUsd: usd(100) },
	...{ budgets: [], teamDays: [], risk: [], sweeps: [], sites: [], stuck: [], expiring: [], missingRate: null },
	...changes,
});
const asOpen = (decision: ReturnType<typeof decideAlerts>) =>
	decision.open.map(({ rule, subject }, i) => ({ id: `alrt_${i}`, rule, subject }));

describe("thresholds", () => {
	it.each([
		[499.999999, []],
		[500, ["cloud-month/2026-11-01/50"]],
		[799, ["cloud-month/2026-11-01/50"]],
		[850, ["cloud-month/2026-11-01/80"]],
		[1200, ["cloud-month/2026-11-01/100"]],
	])("$%s of $1,000 reports only the highest threshold passed", (posted, subjects) => {
		const { open } = decideAlerts(facts({ budgets: [budget({ postedMicroUsd: usd(posted) })] }), []);
		expect(open.map((f) => f.subject)).toEqual(subjects);
	});

	it("does not resend an open alert, and sends the next threshold", () => {
		const first = decideAlerts(facts({ budgets: [budget({ postedMicroUsd: usd(510) })] }), []);
		const again = decideAlerts(facts({ budgets: [budget({ postedMicroUsd: usd(600) })] }), asOpen(first));
		expect(again).toEqual({ open: [], close: [] });
		const next = decideAlerts(facts({ budgets: [budget({ postedMicroUsd: usd(810) })] }), asOpen(first));
		expect(next.open.map((f) => f.subject)).toEqual(["cloud-month/2026-11-01/80"]);
		expect(next.close).toEqual([]);
	});

	it("closes when the cap is raised and when the period ends", () => {
		const open = asOpen(decideAlerts(facts({ budgets: [budget({ postedMicroUsd: usd(510) })] }), []));
		expect(decideAlerts(facts({ budgets: [budget({ postedMicroUsd: usd(510), capMicroUsd: usd(2000) })] }), open).close).toEqual([
			"alrt_0",
		]);
		expect(decideAlerts(facts({ budgets: [budget({ periodKey: "2026-12-01" })] }), open).close).toEqual(["alrt_0"]);
	});

	it("counts a cap of 0 as passed by the first micro-dollar and not before", () => {
		expect(decideAlerts(facts({ budgets: [budget({ capMicroUsd: 0n })] }), []).open).toEqual([]);
		expect(decideAlerts(facts({ budgets: [budget({ capMicroUsd: 0n, postedMicroUsd: 1n })] }), []).open).toHaveLength(1);
	});
});

describe("forecast overrun", () => {
	it("opens when the expected spend exceeds the cap, and is certain when the low end does too", () => {
		expect(decideAlerts(facts({ budgets: [budget({ forecast: forecast(900, 1000, 1100) })] }), []).open).toEqual([]);
		const [likely] = decideAlerts(facts({ budgets: [budget({ forecast: forecast(900, 1000.01, 1100) })] }), []).open;
		expect(likely?.facts).toMatchObject({ certain: "no", overMicroUsd: "10000" });
		const [certain] = decideAlerts(
			facts({ budgets: [budget({ forecast: forecast(1001, 1100, 1200), postedMicroUsd: usd(300) })] }),
			[],
		).open;
		expect(certain?.facts).toMatchObject({ certain: "yes" });
		expect(certain && alertWords(certain.rule, certain.facts)).toEqual({
			title: "Budget cloud-month is forecast to pass its cap even at the low end",
			text: "$1,100.00 is expected by 2026-11-30, likely $1,001.00 to $1,200.00, with a cap of $1,000.00. $300.00 of $1,000.00 is posted so far.",
		});
	});

	it("stays open until the forecast is 5% under the cap", () => {
		const open = asOpen(decideAlerts(facts({ budgets: [budget({ forecast: forecast(900, 1010, 1100) })] }), []));
		expect(decideAlerts(facts({ budgets: [budget({ forecast: forecast(900, 960, 1100) })] }), open).close).toEqual([]);
		expect(decideAlerts(facts({ budgets: [budget({ forecast: forecast(900, 950, 1100) })] }), open).close).toEqual(["alrt_0"]);
	});
});

describe("anomaly", () => {
	it("$733 on a weekday of 404, 380, 420, 396: median 400, deviation 12, excess 333 > 48 and > 100", () => {
		const topJob = { jobName: "rerank-distil", jobMicroUsd: "329000000" };
		const [found] = decideAlerts(facts({ teamDays: [day(733, [404, 380, 420, 396])] }), []).open;
		expect(found).toMatchObject({ subject: "vision/2026-11-19", team: "vision" });
		expect(found && alertWords(found.rule, { ...found.facts, ...topJob })).toEqual({
			title: "vision spent more than usual on 2026-11-19",
			text: "$733.00, compared with a median of $400.00 on this weekday over 4 weeks (median absolute deviation $12.00). Most expensive job: rerank-distil, $329.00.",
		});
	});

	it.each([
		["three weeks are too few for a pattern", day(9_000, [400, 400, 400])],
		["$99 above a steady $400 is below the minimum", day(499, [400, 400, 400, 400])],
		["a team that swings by 200: median 400, deviation 200, excess 800 is not over 800", day(1_200, [200, 600, 200, 600, 400])],
		["less than usual needs no alert", day(0, [400, 400, 400, 400])],
	])("%s", (_, teamDay) => {
		expect(decideAlerts(facts({ teamDays: [teamDay] }), []).open).toEqual([]);
	});

	it("flags a second odd week: 5,000 among 400s leaves median 400 and deviation 0", () => {
		expect(decideAlerts(facts({ teamDays: [day(600, [400, 400, 5_000, 400])] }), []).open).toHaveLength(1);
	});
});

describe("decideAlerts", () => {
	it("opens for a machine not seen to end, closes when it is, and leaves alerts of other rules alone", () => {
		const risk = { instanceId: "ins_1", jobId: "job_1", team: "risk", why: "not_seen_gone" as const, sinceMs: 5, microUsd: usd(2) };
		const { open } = decideAlerts(facts({ risk: [risk] }), []);
		expect(open).toHaveLength(1);
		const now = [
			{ id: "alrt_1", rule: "money_at_risk" as const, subject: "ins_1" },
			{ id: "alrt_2", rule: "billed_unknown" as const, subject: "i-0abc" },
			{ id: "alrt_3", rule: "ledger_mismatch" as const, subject: "2026-11" },
		];
		expect(decideAlerts(facts({ risk: [risk] }), now)).toEqual({ open: [], close: [] });
		expect(decideAlerts(facts({}), now)).toEqual({ open: [], close: ["alrt_1"] });
	});

	it("is independent of input order", () => {
		const all = facts({ budgets: [budget({ postedMicroUsd: usd(900) }), budget({ id: "b", postedMicroUsd: usd(600) })] });
		const turned = { ...all, budgets: all.budgets.toReversed() };
		const subjects = (f: AlertFacts) =>
			decideAlerts(f, [])
				.open.map((a) => a.subject)
				.sort();
		expect(subjects(all)).toEqual(subjects(turned));
	});
});

describe("medianOf", () => {
	it.each([
		[[], 0n],
		[[3n], 3n],
		[[5n, 1n], 3n],
		[[9n, 1n, 5n], 5n],
	])("%s is %s", (values, median) => expect(medianOf(values)).toBe(median));
});

describe("findings of a sweep", () => {
	const stray = { providerInstanceId: "i-0abc", region: "us-east-1", instanceType: "p5.48xlarge", sinceMs: Date.UTC(2026, 10, 19, 10) };
	const unread = { region: "eu-west-1", message: "AWS: instances in eu-west-1: UnauthorizedOperation", sinceMs: stray.sinceMs };

	it("reports a machine without a job as money at risk until the sweep omits it", () => {
		const first = decideAlerts(facts({ sweeps: [{ siteId: "aws", strays: [stray], unread: [] }] }), []);
		expect(first.open).toMatchObject([{ rule: "money_at_risk", subject: "aws/i-0abc", team: null }]);
		const [found] = first.open;
		expect(found && alertWords(found.rule, found.facts)).toEqual({
			title: "A machine has our tag, belongs to no job and is being terminated",
			text: "i-0abc (p5.48xlarge, us-east-1) has our tag, belongs to no job and is being terminated since 2026-11-19 10:00 UTC.",
		});
		const again = decideAlerts(facts({ sweeps: [{ siteId: "aws", strays: [stray], unread: [] }] }), asOpen(first));
		expect(again).toEqual({ open: [], close: [] });
		expect(decideAlerts(facts({}), asOpen(first)).close).toEqual(["alrt_0"]);
	});

	it.each([
		[98_320_000n, "belongs to no job and is being terminated since 2026-11-19 10:00 UTC; machines like it cost $98.32 per hour there."],
		[null, "belongs to no job and is being terminated since 2026-11-19 10:00 UTC; its price is unknown."],
	])("reports a machine without a job with the cost of similar ones: %s", (microUsdPerHour, words) => {
		const [found] = decideAlerts(facts({ sweeps: [{ siteId: "aws", strays: [{ ...stray, microUsdPerHour }], unread: [] }] }), []).open;
		expect(found && alertWords(found.rule, found.facts).text).toContain(words);
	});

	it("reports an unreadable region with the provider's message", () => {
		const [found] = decideAlerts(facts({ sweeps: [{ siteId: "aws", strays: [], unread: [unread] }] }), []).open;
		expect(found).toMatchObject({ rule: "sweep_failing", subject: "aws/eu-west-1" });
		const words = found && alertWords(found.rule, found.facts);
		expect(words?.title).toBe("The sweep of aws, eu-west-1 is failing");
		expect(words?.text).toContain("UnauthorizedOperation");
	});
});

describe("what the platform's people must act on", () => {
	const sinceMs = Date.UTC(2026, 10, 19, 10);
	const platform = {
		sites: [{ siteId: "aws", sinceMs, message: "AuthFailure" }],
		stuck: [{ jobId: "job_1", name: "train", team: "vision", why: "staging" as const, sinceMs }],
		expiring: [
			{ subject: "url:spillway.example.com", what: "certificate" as const, name: "The certificate of spillway.example.com" },
			{ subject: "token:tok_1", what: "token" as const, name: "ci of Builder" },
		].map((one) => ({ ...one, startsAtMs: null, expiresAtMs: sinceMs })),
	};

	it("have a title, and close when they no longer hold", () => {
		const first = decideAlerts(facts(platform), []);
		expect(first.open.map(({ rule, subject, team }) => [rule, subject, team])).toEqual([
			["site_unhealthy", "aws", null],
			["job_stuck", "job_1", "vision"],
			["credential_expiring", "url:spillway.example.com", null],
			["credential_expiring", "token:tok_1", null],
		]);
		expect(first.open.map(({ rule, facts: values }) => alertWords(rule, values).title)).toEqual([
			"Site aws does not respond",
			"train is stuck",
			"The certificate of spillway.example.com expires 2026-11-19 10:00 UTC",
			"Token ci of Builder expires 2026-11-19 10:00 UTC",
		]);
		expect(decideAlerts(facts(platform), asOpen(first))).toEqual({ open: [], close: [] });
		expect(decideAlerts(facts({}), asOpen(first)).close).toHaveLength(4);
	});

	it("explain how to add a missing exchange rate, until the rate is there", () => {
		const missingRate = { month: "2026-10", currency: "EUR", day: "2026-10-01" };
		const first = decideAlerts(facts({ missingRate }), []);
		expect(first.open.map(({ rule, facts: values }) => alertWords(rule, values))).toEqual([
			{
				title: "2026-10 waits for EUR rates",
				text: "It cannot be closed without a rate for EUR on 2026-10-01: import rates under Settings › Currency, and it closes by itself.",
			},
		]);
		expect(decideAlerts(facts({ missingRate }), asOpen(first))).toEqual({ open: [], close: [] });
		expect(decideAlerts(facts({}), asOpen(first)).close).toHaveLength(1);
		const later = decideAlerts(facts({ missingRate: { ...missingRate, day: "2026-10-20" } }), asOpen(first));
		expect([later.open.length, later.close.length]).toEqual([1, 1]);
	});

	it("close the missing-leader alert once the leader evaluates", () => {
		const open = [{ id: "alrt_1", rule: "no_leader" as const, subject: "scheduler" }];
		expect(decideAlerts(facts({}), open).close).toEqual(["alrt_1"]);
	});

	it.each([
		["a year's certificate", 365, 13, true],
		["a year's certificate", 365, 15, false],
		["a certificate of 90 days", 90, 10, false],
		["a certificate of 90 days", 90, 8, true],
		["a token valid for an hour", 1 / 24, 1 / 48, false],
		["an expired one", 365, -1, true],
	])("%s (%d days) with %d days left: %s", (_, lifeDays, leftDays, expected) => {
		const expiresAtMs = sinceMs + leftDays * DAY_MS;
		expect(isExpiring({ startsAtMs: expiresAtMs - lifeDays * DAY_MS, expiresAtMs }, sinceMs)).toBe(expected);
	});
});
