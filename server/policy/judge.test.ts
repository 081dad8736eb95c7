import { describe, expect, it } from "vitest";
import type { Policy, Rule, RuleEffect } from "#server/domain/policy.ts";
import { demoPolicy } from "./demo-policy.ts";
import { judgeJob } from "./judge-job.ts";
import { judgePlace } from "./judge-place.ts";
import { judgeQuote } from "./judge-quote.ts";
import { aJob, anOffer, data, HOME, policyOf, rulesText } from "./testing/builders.ts";
import type { Place } from "./types.ts";

const SPOT = anOffer({ capacityType: "spot" });
const EU = anOffer({ region: "eu-west-1" });
const AZURE: Place = {
	siteId: "azure-main",
	provider: "azure",
	region: "westeurope",
	instanceType: "Standard_ND96asr_v4",
	capacityType: "on_demand",
};

/** The reason why one rule excludes each place, as `code`, or null. */
function removals(rule: string, places: readonly Place[]): (string | null)[] {
	const verdict = judgeJob(policyOf(rulesText(rule)), aJob());
	return places.map((place) => judgePlace(verdict, place)?.why ?? null);
}

describe("judgePlace", () => {
	it.each([
		["{ id: r, deny: { sites: [cloud] } }", [null, "site_denied", "site_denied", "site_denied", "site_denied"]],
		["{ id: r, deny: { sites: [owned] } }", ["site_denied", null, null, null, null]],
		["{ id: r, deny: { sites: [aws-main] } }", [null, "site_denied", "site_denied", "site_denied", null]],
		['{ id: r, deny: { regions: ["aws:us-*"] } }', [null, "region_denied", "region_denied", null, null]],
		["{ id: r, deny: { instanceFamilies: [p4d] } }", [null, "family_denied", "family_denied", "family_denied", null]],
		[
			"{ id: r, deny: { capacityTypes: [on_demand] } }",
			[null, "capacity_type_denied", null, "capacity_type_denied", "capacity_type_denied"],
		],
		['{ id: r, deny: { regions: ["aws:eu-*"], capacityTypes: [spot] } }', [null, null, "capacity_type_denied", "region_denied", null]],
		['{ id: r, allow: { regions: ["aws:eu-*", "azure:*"] } }', [null, "region_not_allowed", "region_not_allowed", null, null]],
		[
			'{ id: r, allow: { instanceFamilies: ["Standard_ND96*"] } }',
			[null, "family_not_allowed", "family_not_allowed", "family_not_allowed", null],
		],
		[
			'{ id: r, allow: { regions: ["aws:*"], instanceFamilies: [p4d], capacityTypes: [spot] } }',
			[null, "capacity_type_denied", null, "capacity_type_denied", "region_not_allowed"],
		],
		["{ id: r, allow: { capacityTypes: [spot] } }", [null, "capacity_type_denied", null, "capacity_type_denied", "capacity_type_denied"]],
		["{ id: r, allow: { sites: [aws-main] } }", ["site_not_allowed", null, null, null, "site_not_allowed"]],
		["{ id: r, allow: { sites: [owned] } }", [null, "site_not_allowed", "site_not_allowed", "site_not_allowed", "site_not_allowed"]],
		[
			"{ id: r, allow: { sites: [owned, cloud], capacityTypes: [spot] } }",
			[null, "capacity_type_denied", null, "capacity_type_denied", "capacity_type_denied"],
		],
		[
			"{ id: r, require: { capacityType: spot } }",
			[null, "capacity_type_required", null, "capacity_type_required", "capacity_type_required"],
		],
	])("%s on home, AWS us, its spot, AWS eu, Azure", (rule, want) => {
		expect(removals(rule, [HOME, anOffer(), SPOT, EU, AZURE])).toEqual(want);
	});

	it("names the first rule in the order of the policy, with the facts", () => {
		const rules = ['{ id: eu, allow: { regions: ["aws:eu-*"] } }', "{ id: none, deny: { sites: [aws-main] } }"];
		const verdict = judgeJob(policyOf(rulesText(...rules)), aJob());
		expect(judgePlace(verdict, anOffer())).toEqual({
			ruleId: "eu",
			why: "region_not_allowed",
			facts: { region: "aws:us-east-1", allowed: "aws:eu-*" },
		});
		expect(judgePlace(verdict, EU)).toEqual({ ruleId: "none", why: "site_denied", facts: { site: "aws-main", denied: "aws-main" } });
	});
});

describe("judgeJob", () => {
	it("keeps sensitive jobs at home and experiments on spot, and lets the others burst, under the demo's policy", () => {
		const policy = policyOf(demoPolicy());
		const places = [HOME, anOffer(), SPOT];
		const codes = (job: Parameters<typeof aJob>[0]) =>
			places.map((place) => judgePlace(judgeJob(policy, aJob(job)), place)?.ruleId ?? null);
		expect(codes({ class: "sensitive" })).toEqual([null, "sensitive-stays-home", "sensitive-stays-home"]);
		expect(codes({ class: "experimental" })).toEqual([null, "spot-for-experiments", null]);
		expect(codes({ class: "burst" })).toEqual([null, null, null]);
		expect(judgeJob(policy, aJob())).toMatchObject({
			burst: [
				{ ruleId: "burst-on-wait", forecastWaitMs: 10_000, deadlineSlackMs: 300_000, waitedMs: null, queueLength: null, always: false },
			],
			limits: { instanceMs: { ruleId: "instance-life", value: 28_800_000 }, idleMs: null },
			budgets: [{ id: "cloud-month" }],
			unanswered: [],
		});
	});

	it("takes the tightest limit, the first of equal ones, and only those with a condition that holds", () => {
		const rules = [
			"{ id: day, limit: { instanceHours: 24 } }",
			"{ id: short, when: job.gpus > 4, limit: { instanceHours: 2 } }",
			"{ id: also-short, when: job.gpus > 4, limit: { instanceHours: 2 } }",
		];
		const policy = policyOf(rulesText(...rules));
		expect(judgeJob(policy, aJob()).limits.instanceMs).toEqual({ ruleId: "day", value: 86_400_000 });
		const large = aJob({ nodes: 5 });
		expect(judgeJob(policy, large).limits.instanceMs).toEqual({ ruleId: "short", value: 7_200_000 });
	});

	it("has no burst in a policy without a burst rule", () => {
		expect(judgeJob(policyOf(rulesText("{ id: a, limit: { instanceHours: 1 } }")), aJob()).burst).toEqual([]);
	});

	it("applies data rules to the residency of all data sets", () => {
		const policy = policyOf(rulesText(`{ id: eu, when: '"eu" in job.residency', allow: { regions: ["aws:eu-*"] } }`));
		expect(judgePlace(judgeJob(policy, aJob()), anOffer())).toBeNull();
		expect(judgePlace(judgeJob(policy, aJob({ data: [data(["us"]), data(["eu"])] })), anOffer())?.ruleId).toBe("eu");
	});
});

describe("other effects of rules on a job", () => {
	const policy = policyOf(
		`${rulesText(
			"{ id: room, when: job.hasDeadline, preempt: { classes: [baseline, experimental] } }",
			"{ id: more-room, when: job.critical, preempt: { classes: [batch_inference] } }",
			"{ id: go-home, move: { to: [home], savingUsd: 0.5 } }",
			"{ id: go-cheap, when: job.hasCheckpoint, move: { to: [cheaper] } }",
			'{ id: green, when: job.class == "batch_inference", defer: { to: greener, within: 12h } }',
			"{ id: wait, burst: { after: { forecastWait: 30m }, only: { costAtMostUsd: 50, dataAtMostGiB: 500 } } }",
			"{ id: idle, limit: { idleMinutes: 10, gpuUtilisationBelow: { percent: 5, for: 30m } } }",
		)}  budgets:
    - { id: all, period: month, capUsd: 5, atCap: terminate }
    - { id: risk-burn, scope: 'job.team == "risk"', burnRateUsdPerHour: 400 }
    - { id: machines, instances: 20 }
    - { id: other, scope: 'job.team == "vision"', instances: 2 }
`,
	);

	it("lists the rules that hold, in policy order", () => {
		const plain = judgeJob(policy, aJob());
		expect(plain.preempt).toEqual([]);
		expect(plain.moves).toEqual([{ ruleId: "go-home", to: ["home"], savingMicroUsd: 500_000n }]);
		expect(plain.defers).toEqual([]);
		expect(plain.burst).toMatchObject([{ ruleId: "wait", forecastWaitMs: 1_800_000, costAtMostMicroUsd: 50_000_000n, dataAtMostGiB: 500 }]);
		const urgent = judgeJob(
			policy,
			aJob({ deadlineMs: 5, critical: true, class: "batch_inference", checkpoint: { path: "/c", intervalMs: 1 } }),
		);
		expect(urgent.preempt).toEqual([
			{ ruleId: "room", classes: ["baseline", "experimental"], longerBy: null },
			{ ruleId: "more-room", classes: ["batch_inference"], longerBy: null },
		]);
		expect(urgent.moves.map((m) => [m.ruleId, m.savingMicroUsd])).toEqual([
			["go-home", 500_000n],
			["go-cheap", 0n],
		]);
		expect(urgent.defers).toEqual([{ ruleId: "green", to: "greener", withinMs: 43_200_000 }]);
	});

	it("counts it against every budget and cap with a matching scope, nested ones too", () => {
		const verdict = judgeJob(policy, aJob({ team: "risk" }));
		expect(verdict.budgets.map((b) => [b.id, b.atCap])).toEqual([["all", "terminate"]]);
		expect(verdict.caps.map((c) => [c.id, c.kind])).toEqual([
			["risk-burn", "burn_rate"],
			["machines", "instances"],
		]);
		expect(judgeJob(policy, aJob({ team: "vision" })).caps.map((c) => c.id)).toEqual(["machines", "other"]);
	});

	it.each<[string, string[], { ruleId: string; percent: number; forMs: number } | null]>([
		[
			"the stricter of two, whichever comes first",
			["a, limit: { gpuUtilisationBelow: { percent: 5, for: 30m } }", "b, limit: { gpuUtilisationBelow: { percent: 10, for: 20m } }"],
			{ ruleId: "b", percent: 10, forMs: 1_200_000 },
		],
		[
			"the first of equal ones",
			["a, limit: { gpuUtilisationBelow: { percent: 5, for: 30m } }", "b, limit: { gpuUtilisationBelow: { percent: 5, for: 30m } }"],
			{ ruleId: "a", percent: 5, forMs: 1_800_000 },
		],
		[
			"the first of two that differ both ways",
			["a, limit: { gpuUtilisationBelow: { percent: 5, for: 10m } }", "b, limit: { gpuUtilisationBelow: { percent: 10, for: 20m } }"],
			{ ruleId: "a", percent: 5, forMs: 600_000 },
		],
		["none where none is given", ["a, limit: { idleMinutes: 10 }"], null],
	])("limits poor use by %s", (_what, rules, want) => {
		expect(judgeJob(policyOf(rulesText(...rules.map((r) => `{ id: ${r} }`))), aJob()).limits.gpuUtilisationBelow).toEqual(want);
	});
});

/** A policy that the parser would reject: conditions that cannot be evaluated for a job without labels. */
function unanswerable(...effects: RuleEffect[]): Policy {
	const rules = effects.map((effect, index): Rule => ({ id: `r${index}`, when: 'job.labels.tier == "gold"', line: index + 1, effect }));
	const budget = {
		id: "b",
		scope: 'job.labels.tier == "gold"',
		period: "month" as const,
		capMicroUsd: 1n,
		atCap: "hold" as const,
		line: 9,
	};
	const cap = { id: "c", kind: "instances" as const, scope: 'job.labels.tier == "gold"', count: 1, line: 10 };
	return {
		name: "p",
		rules,
		budgets: [budget],
		caps: [cap],
		shares: [],
		weights: { delayMicroUsdPerHour: 0n, carbonMicroUsdPerTonne: 0n },
	};
}

describe("a condition that cannot be evaluated takes the strict side", () => {
	const lists = { sites: [], regions: [], instanceFamilies: [], capacityTypes: [] };
	const policy = unanswerable(
		{
			kind: "burst",
			forecastWaitMs: null,
			waitedMs: null,
			deadlineSlackMs: null,
			queueLength: null,
			always: true,
			costAtMostMicroUsd: null,
			dataAtMostGiB: null,
		},
		{ kind: "limit", instanceMs: 1_000, idleMs: null, gpuUtilisationBelow: null },
		{ kind: "allow", ...lists, regions: ["aws:eu-*"] },
		{ kind: "deny", ...lists, sites: ["aws-main"] },
		{ kind: "require", capacityType: "spot", approval: null },
		{ kind: "require", capacityType: null, approval: "finance" },
		{ kind: "preempt", classes: ["baseline"], longerBy: null },
		{ kind: "move", to: ["home", "cheaper"], savingMicroUsd: 0n },
		{ kind: "defer", to: "greener", withinMs: 1_000 },
	);
	const quote = { costUsd: 1, hourlyUsd: 1, offer: null };

	it("disables bursts, preemption, moves and deferral, applies limits, budgets and caps, and is reported", () => {
		const verdict = judgeJob(policy, aJob());
		expect([verdict.burst, verdict.preempt, verdict.moves, verdict.defers]).toEqual([[], [], [], []]);
		expect(verdict.caps.map((c) => c.id)).toEqual(["c"]);
		expect(verdict.limits.instanceMs).toEqual({ ruleId: "r1", value: 1_000 });
		expect(verdict.budgets.map((b) => b.id)).toEqual(["b"]);
		expect(verdict.unanswered?.map((u) => u.ruleId)).toEqual(["r0", "r1", "r2", "r3", "r4", "r6", "r7", "r8", "b", "c"]);
	});

	it("excludes places and carries the error in the facts", () => {
		const verdict = judgeJob(policy, aJob());
		const removal = judgePlace(verdict, anOffer());
		expect(removal).toMatchObject({ ruleId: "r2", facts: { conditionError: "No such key: tier" } });
		expect(judgePlace(verdict, EU)?.ruleId).toBe("r3");
		expect(judgePlace(verdict, { ...EU, siteId: "aws-other" })?.ruleId).toBe("r4");
		expect(judgePlace(verdict, HOME)).toBeNull();
	});

	it("asks for approval", () => {
		expect(judgeQuote(policy, aJob(), quote)).toEqual({ ruleId: "r5", role: "finance" });
	});

	it("has no such effect once the condition can be evaluated", () => {
		const verdict = judgeJob(policy, aJob({ labels: { tier: "silver" } }));
		expect(verdict).toEqual({
			burst: [],
			preempt: [],
			moves: [],
			defers: [],
			filters: [],
			limits: { instanceMs: null, idleMs: null, gpuUtilisationBelow: null },
			budgets: [],
			caps: [],
			unanswered: [],
		});
		expect(judgeQuote(policy, aJob({ labels: { tier: "silver" } }), quote)).toBeNull();
	});
});

describe("judgeQuote", () => {
	it.each([
		[50, 50, false],
		[50, 50.01, true],
		[0, 0.01, true],
		[50, Number.NaN, true],
		[undefined, 1e9, false],
	])("a job with approvalAboveUsd %s at $%d requires approval: %s", (approvalAboveUsd, costUsd, required) => {
		const job = { ...aJob(), ...(approvalAboveUsd !== undefined && { approvalAboveUsd }) };
		const none = { ...unanswerable(), rules: [] };
		const expected = required ? { ruleId: "spec.approvalAboveUsd", role: "finance" } : null;
		expect(judgeQuote(none, job, { costUsd, hourlyUsd: 1, offer: null })).toEqual(expected);
		expect(judgeQuote(none, job, { costUsd, hourlyUsd: 1, offer: null }, (id) => id === "spec.approvalAboveUsd")).toBeNull();
	});
	const asking = (when: string | null): Policy => ({
		...unanswerable(),
		budgets: [],
		caps: [],
		rules: [{ id: "ask", when, line: 1, effect: { kind: "require", capacityType: null, approval: "platform" } }],
	});
	it.each([
		["quote.costUsd > 2000.0", 2000.01, true],
		["quote.costUsd > 2000.0", 2000, false],
		["quote.costUsd > 2000", 2001, true],
		["quote.costUsd >= 2000 && job.class == 'burst'", 2000, true],
		["quote.costUsd > 1 && quote.provider == 'aws'", 5, false],
		["quote.costUsd > 2000", Number.NaN, true],
		["quote.costUsd > 2000", Number.POSITIVE_INFINITY, true],
	])("%s at %s requires approval: %s", (when, costUsd, asks) => {
		expect(judgeQuote(asking(when), aJob(), { costUsd, hourlyUsd: 1, offer: null })).toEqual(
			asks ? { ruleId: "ask", role: "platform" } : null,
		);
	});

	it("always requires approval without a condition, and never in a policy without approvals", () => {
		expect(judgeQuote(asking(null), aJob(), { costUsd: 0, hourlyUsd: 0, offer: null })).toEqual({ ruleId: "ask", role: "platform" });
		expect(judgeQuote(policyOf(demoPolicy()), aJob(), { costUsd: 1e9, hourlyUsd: 1e9, offer: null })).toBeNull();
	});
});
