import { describe, expect, it } from "vitest";
import { demoPolicy } from "./demo-policy.ts";
import { POLICY_LIMITS } from "./limits.ts";
import { parsePolicy } from "./parse-policy.ts";
import { budgetsText, FIRST_RULE_LINE, policyOf, problemsIn, rulesText } from "./testing/builders.ts";

/** The policy of the design; whole with the rule that requires an approval. */
function designPolicy({ whole }: { whole: boolean }): string {
	const only = (line: string) => (whole ? `${line}\n` : "");
	return `apiVersion: spillway/v1
kind: Policy
metadata: { name: default }
spec:
  rules:
    - id: sensitive-stays-home
      when: job.class == "sensitive"
      deny: { sites: [cloud] }
    - id: eu-data-in-eu
      when: '"eu" in job.residency'
      allow: { regions: ["aws:eu-*", "azure:westeurope", "gcp:europe-*"] }
    - id: burst-on-wait
      burst: { after: { forecastWait: 30m }, or: { deadlineSlack: 2h } }
    - id: approved-families
      allow: { instanceFamilies: [p4d, p5, Standard_ND96*, a3-*] }
    - id: spot-for-experiments
      when: job.class == "experimental"
      require: { capacityType: spot }
    - id: lifetime
      limit: { instanceHours: 24, idleMinutes: 10, gpuUtilisationBelow: { percent: 5, for: 30m } }
${only("    - id: ask-first")}${only("      when: quote.costUsd > 2000.0")}${only("      require: { approval: platform }")}  budgets:
    - { id: cloud-month, scope: "true", period: month, capUsd: 50000, atCap: hold }
    - { id: risk-burn, scope: 'job.team == "risk"', burnRateUsdPerHour: 400 }
    - { id: egress, scope: "true", period: month, egressGiB: 20000 }
  weights: { delayUsdPerHour: 5, carbonUsdPerTonne: 80 }
`;
}

describe("the example policy of the design", () => {
	it("is parsed, and reports the limits that are not measured yet", () => {
		const { policy, problems } = parsePolicy(designPolicy({ whole: false }));
		expect(problems.map((p) => [p.severity, p.line, p.column, p.message])).toEqual([
			["warning", 20, 35, "idleMinutes has no effect: idle time is not measured on this installation."],
			["warning", 20, 52, "gpuUtilisationBelow has no effect: GPU utilization is not measured on this installation."],
		]);
		expect(parsePolicy(designPolicy({ whole: false }), { measures: ["idle", "gpu_utilisation"] })).toEqual({ policy, problems: [] });
		const lists = { sites: [], regions: [], instanceFamilies: [], capacityTypes: [] };
		expect(policy).toEqual({
			name: "default",
			rules: [
				{ id: "sensitive-stays-home", when: 'job.class == "sensitive"', line: 6, effect: { kind: "deny", ...lists, sites: ["cloud"] } },
				{
					id: "eu-data-in-eu",
					when: '"eu" in job.residency',
					line: 9,
					effect: { kind: "allow", ...lists, regions: ["aws:eu-*", "azure:westeurope", "gcp:europe-*"] },
				},
				{
					id: "burst-on-wait",
					when: null,
					line: 12,
					effect: {
						kind: "burst",
						forecastWaitMs: 1_800_000,
						waitedMs: null,
						deadlineSlackMs: 7_200_000,
						queueLength: null,
						always: false,
						costAtMostMicroUsd: null,
						dataAtMostGiB: null,
					},
				},
				{
					id: "approved-families",
					when: null,
					line: 14,
					effect: { kind: "allow", ...lists, instanceFamilies: ["p4d", "p5", "Standard_ND96*", "a3-*"] },
				},
				{
					id: "spot-for-experiments",
					when: 'job.class == "experimental"',
					line: 16,
					effect: { kind: "require", capacityType: "spot", approval: null },
				},
				{
					id: "lifetime",
					when: null,
					line: 19,
					effect: { kind: "limit", instanceMs: 86_400_000, idleMs: 600_000, gpuUtilisationBelow: { percent: 5, forMs: 1_800_000 } },
				},
			],
			budgets: [{ id: "cloud-month", scope: "true", period: "month", capMicroUsd: 50_000_000_000n, atCap: "hold", line: 22 }],
			caps: [
				{ kind: "burn_rate", id: "risk-burn", scope: 'job.team == "risk"', microUsdPerHour: 400_000_000n, line: 23 },
				{ kind: "egress", id: "egress", scope: "true", period: "month", gib: 20_000, line: 24 },
			],
			shares: [],
			weights: { delayMicroUsdPerHour: 5_000_000n, carbonMicroUsdPerTonne: 80_000_000n },
		});
	});

	it("is accepted in full", () => {
		const { policy, problems } = parsePolicy(designPolicy({ whole: true }), { measures: ["idle", "gpu_utilisation"] });
		expect(problems).toEqual([]);
		expect(policy?.rules.at(-1)?.effect).toEqual({ kind: "require", capacityType: null, approval: "platform" });
	});
});

describe("the demo's policy", () => {
	it("has no problems and uses the configured cap and instance lifetime", () => {
		expect(problemsIn(demoPolicy())).toEqual([]);
		const policy = policyOf(demoPolicy({ capUsd: 12, instanceHours: 0.5 }));
		expect(policy.budgets).toMatchObject([{ id: "cloud-month", period: "month", capMicroUsd: 12_000_000n, atCap: "hold" }]);
		expect(policy.rules.map((r) => r.effect.kind)).toEqual(["deny", "burst", "require", "limit"]);
		expect(policy.rules[3]?.effect).toMatchObject({ instanceMs: 1_800_000 });
		expect(policy.rules[1]?.effect).toMatchObject({ forecastWaitMs: 10_000 });
	});
});

/** `line:column` of the rule text's own first character is 6:7. */
const WRONG_RULES: [what: string, rule: string, want: string][] = [
	[
		"an unknown field",
		"{ id: a, wehn: job.critical, deny: { sites: [cloud] } }",
		"6:16 error spec.rules[0].wehn is not a known field. | Did you mean when?",
	],
	["a misspelt effect", "{ id: a, dney: { sites: [cloud] } }", "6:16 error spec.rules[0].dney is not a known field. | Did you mean deny?"],
	[
		"an unknown field inside",
		'{ id: a, deny: { regoins: ["aws:*"] } }',
		"6:24 error spec.rules[0].deny.regoins is not a known field. | Did you mean regions?",
	],
	[
		"no effect",
		"{ id: a }",
		"6:7 error spec.rules[0] does nothing. | Add one of: deny, allow, burst, require, preempt, move, defer, adopt, prewarm, limit.",
	],
	[
		"no id",
		"{ deny: { sites: [cloud] } }",
		"6:7 error spec.rules[0].id is required. | Name the rule, for example id: sensitive-stays-home.",
	],
	[
		"two effects",
		"{ id: a, deny: { sites: [cloud] }, limit: { instanceHours: 1 } }",
		"6:42 error deny and limit cannot be combined: a rule does one thing. | Move limit to another rule.",
	],
	[
		"a value for a list",
		"{ id: a, deny: { sites: cloud } }",
		'6:31 error spec.rules[0].deny.sites must be a list, not "cloud". | Write [cloud].',
	],
	[
		"an empty list",
		"{ id: a, deny: { sites: [] } }",
		"6:31 error spec.rules[0].deny.sites is empty, which could mean all or none. Name entries, or remove the field.",
	],
	[
		"a pattern of sites",
		'{ id: a, deny: { sites: ["aws-*"] } }',
		'6:32 error Sites cannot be patterns: "aws-*". | Name each site, or write cloud or owned for all of a kind.',
	],
	[
		"a region without provider",
		"{ id: a, deny: { regions: [eu-west-1] } }",
		'6:34 error "eu-west-1" names no provider. Regions are written provider:region. | Write for example "aws:eu-west-1".',
	],
	["a misspelt provider", '{ id: a, deny: { regions: ["asw:eu-*"] } }', '6:34 error There is no cloud provider "asw". | Did you mean aws?'],
	[
		"a misspelt capacity type",
		"{ id: a, deny: { capacityTypes: [sopt] } }",
		'6:40 error spec.rules[0].deny.capacityTypes[0] must be one of owned, reserved, on_demand, spot, not "sopt". | Did you mean spot?',
	],
	[
		"a length without unit",
		"{ id: a, burst: { after: { forecastWait: 30 } } }",
		"6:48 error spec.rules[0].burst.after.forecastWait must be a duration with a unit, for example 90s, 15m or 6h, not 30. | Write 30s, 30m or 30h.",
	],
	[
		"a length in parsecs",
		"{ id: a, burst: { after: { waited: 6 parsecs } } }",
		'6:42 error "6 parsecs" is not a duration. Use for example 90s, 15m, 6h or 1h30m, at most 90d.',
	],
	[
		"two triggers in after",
		"{ id: a, burst: { after: { forecastWait: 30m, waited: 1h } } }",
		"6:32 error after takes one trigger: two could mean both or either. | Keep one and move the others to or: a job bursts when any of them is met.",
	],
	[
		"a trigger twice",
		"{ id: a, burst: { after: { waited: 30m }, or: { waited: 1h } } }",
		"6:53 error waited is in after and in or. | Remove one of them.",
	],
	[
		"always with a trigger",
		"{ id: a, burst: { always: true, after: { waited: 1h } } }",
		"6:25 error always cannot be combined with after or or. | Remove after and or.",
	],
	[
		"hours with a unit",
		"{ id: a, limit: { instanceHours: 24h } }",
		'6:40 error spec.rules[0].limit.instanceHours must be a number, not "24h". | Write 24; the unit is hours.',
	],
	[
		"owned as a requirement",
		"{ id: a, require: { capacityType: owned } }",
		'6:41 error spec.rules[0].require.capacityType must be one of reserved, on_demand, spot, not "owned".',
	],
	[
		"an unknown role",
		"{ id: a, require: { approval: finanse } }",
		'6:37 error spec.rules[0].require.approval must be one of platform, finance, not "finanse". | Did you mean finance?',
	],
	[
		"a role that may not say yes",
		"{ id: a, require: { approval: data_scientist } }",
		'6:37 error spec.rules[0].require.approval must be one of platform, finance, not "data_scientist".',
	],
	[
		"a class that is none",
		"{ id: a, preempt: { classes: [experimantal] } }",
		'6:37 error spec.rules[0].preempt.classes[0] must be one of baseline, burst, experimental, sensitive, batch_inference, not "experimantal". | Did you mean experimental?',
	],
	["a class twice", "{ id: a, preempt: { classes: [burst, burst] } }", "6:44 error burst is listed twice. | Remove one of them."],
	[
		"no class",
		"{ id: a, preempt: { classes: [] } }",
		"6:36 error spec.rules[0].preempt.classes is empty, which could mean all or none. Name entries, or remove the field.",
	],
	[
		"preempt without classes",
		"{ id: a, preempt: {} }",
		"6:25 error spec.rules[0].preempt.classes is required. | Write for example classes: [experimental, batch_inference].",
	],
	[
		"a move to nowhere",
		"{ id: a, move: { savingUsd: 1 } }",
		"6:22 error spec.rules[0].move.to is required. | Write for example to: [home].",
	],
	["a move abroad", "{ id: a, move: { to: [abroad] } }", '6:29 error spec.rules[0].move.to[0] must be one of home, cheaper, not "abroad".'],
	[
		"a saving in cents",
		"{ id: a, move: { to: [home], savingUsd: 50ct } }",
		"6:47 error spec.rules[0].move.savingUsd must be an amount in USD of 0 or more, with at most six decimals, not 50ct. | Write for example 500.",
	],
	[
		"a hope",
		"{ id: a, defer: { to: nicer, within: 2h } }",
		'6:29 error spec.rules[0].defer.to must be one of cheaper, greener, not "nicer".',
	],
	[
		"no bound on waiting",
		"{ id: a, defer: { to: greener } }",
		"6:23 error spec.rules[0].defer.within is required. | Add the maximum delay, for example within: 12h.",
	],
	[
		"only without bounds",
		"{ id: a, burst: { always: true, only: {} } }",
		"6:45 error spec.rules[0].burst.only limits nothing. | Write for example costAtMostUsd: 50.",
	],
	[
		"data with a unit",
		"{ id: a, burst: { always: true, only: { dataAtMostGiB: 5TiB } } }",
		'6:62 error spec.rules[0].burst.only.dataAtMostGiB must be a number, not "5TiB". | Write 5; the unit is GiB.',
	],
	[
		"a share of one GPU",
		"{ id: a, limit: { gpuUtilisationBelow: { percent: 0, for: 5m } } }",
		"6:57 error spec.rules[0].limit.gpuUtilisationBelow.percent must be more than 0, not 0.",
	],
	[
		"utilization forever",
		"{ id: a, limit: { gpuUtilisationBelow: { percent: 5 } } }",
		"6:46 error spec.rules[0].limit.gpuUtilisationBelow.for is required. | Add the duration, for example for: 30m.",
	],
	[
		"its own condition in only",
		"{ id: a, burst: { always: true, only: { costAtMost: 5 } } }",
		"6:47 error spec.rules[0].burst.only.costAtMost is not a known field. | Did you mean costAtMostUsd?",
	],
	[
		"an empty condition",
		"{ id: a, deny: { sites: [cloud] }, when: }",
		'6:48 error spec.rules[0].when is empty: must be text. | Write for example job.class == "sensitive".',
	],
	[
		"an alias",
		"{ id: a, deny: { sites: *x } }",
		"6:31 error Policies cannot contain aliases (*name): every rule must show what it does. | Write out the value.",
	],
	["a key twice", "{ id: a, id: b, deny: { sites: [cloud] } }", "6:16 error Invalid YAML: the key id appears twice. | Remove one of them."],
	["a text for a rule", "burst", '6:7 error spec.rules[0] must be a set of fields, not "burst".'],
];

describe("invalid rules", () => {
	it.each(WRONG_RULES)("%s", (_what, rule, want) => {
		expect(FIRST_RULE_LINE).toBe(6);
		expect(problemsIn(rulesText(rule))).toEqual([want]);
		expect(parsePolicy(rulesText(rule)).policy).toBeNull();
	});
});

describe("moves, preemption and deferral", () => {
	const effectOf = (rule: string) => policyOf(rulesText(rule)).rules[0]?.effect;
	it.each<[string, unknown]>([
		[
			"{ id: a, preempt: { classes: [experimental, batch_inference] } }",
			{ kind: "preempt", classes: ["experimental", "batch_inference"], longerBy: null },
		],
		["{ id: a, move: { to: [home, cheaper], savingUsd: 0.5 } }", { kind: "move", to: ["home", "cheaper"], savingMicroUsd: 500_000n }],
		["{ id: a, move: { to: [home] } }", { kind: "move", to: ["home"], savingMicroUsd: 0n }],
		["{ id: a, defer: { to: greener, within: 12h } }", { kind: "defer", to: "greener", withinMs: 43_200_000 }],
		["{ id: a, preempt: { classes: [burst], longerBy: 3 } }", { kind: "preempt", classes: ["burst"], longerBy: 3 }],
		["{ id: a, defer: { to: cheaper, within: 90m } }", { kind: "defer", to: "cheaper", withinMs: 5_400_000 }],
	])("%s", (rule, want) => {
		expect(effectOf(rule)).toEqual(want);
	});

	it("limits the cost and data of a burst", () => {
		expect(effectOf("{ id: a, burst: { after: { waited: 5m }, only: { costAtMostUsd: 50.25, dataAtMostGiB: 500 } } }")).toMatchObject({
			waitedMs: 300_000,
			costAtMostMicroUsd: 50_250_000n,
			dataAtMostGiB: 500,
		});
		expect(effectOf("{ id: a, burst: { always: true, only: { dataAtMostGiB: 0 } } }")).toMatchObject({
			always: true,
			costAtMostMicroUsd: null,
			dataAtMostGiB: 0,
		});
	});
});

describe("shares", () => {
	const withShares = (shares: string) => `apiVersion: spillway/v1\nkind: Policy\nmetadata: { name: d }\nspec:\n  shares: ${shares}\n`;
	it("are parsed by team, in the order of the text", () => {
		expect(policyOf(withShares("{ risk: 2, vision: 1.5 }")).shares).toEqual([
			{ team: "risk", weight: 2 },
			{ team: "vision", weight: 1.5 },
		]);
		expect(policyOf(withShares("")).shares).toEqual([]);
	});
	it.each([
		["[risk]", '5:11 error spec.shares must be a set of fields, not ["risk"].'],
		["{ risk: 0 }", "5:19 error spec.shares.risk must be more than 0, not 0."],
		["{ risk: half }", '5:19 error spec.shares.risk must be a number, not "half".'],
		[
			'{ "a b": 1 }',
			'5:13 error spec.shares.a b must be 1 to 63 letters, digits, ".", "_" or "-", and start and end with a letter or digit.',
		],
		["{ risk: 1, risk: 2 }", "5:22 error Invalid YAML: the key risk appears twice. | Remove one of them."],
	])("%s", (shares, want) => {
		expect(problemsIn(withShares(shares))).toEqual([want]);
	});
});

const WRONG_BUDGETS: [what: string, budget: string, want: string[]][] = [
	[
		"a currency sign",
		"{ id: b, period: month, capUsd: $500 }",
		[
			"6:39 error spec.budgets[0].capUsd must be an amount in USD of 0 or more, with at most six decimals, not $500. | Write for example 500.",
		],
	],
	[
		"a negative cap",
		"{ id: b, period: month, capUsd: -1 }",
		[
			"6:39 error spec.budgets[0].capUsd must be an amount in USD of 0 or more, with at most six decimals, not -1. | Write for example 500.",
		],
	],
	[
		"seven decimals",
		"{ id: b, period: month, capUsd: 0.1234567 }",
		[
			"6:39 error spec.budgets[0].capUsd must be an amount in USD of 0 or more, with at most six decimals, not 0.1234567. | Write for example 500.",
		],
	],
	[
		"an unknown period",
		"{ id: b, period: mnoth, capUsd: 5 }",
		['6:24 error spec.budgets[0].period must be one of month, quarter, year, not "mnoth". | Did you mean month?'],
	],
	[
		"neither period nor cap",
		"{ id: b }",
		[
			"6:7 error spec.budgets[0] has no cap. | Write for example capUsd: 50000; or burnRateUsdPerHour, egressGiB or instances.",
			"6:7 error spec.budgets[0] has no period. | Write period: month, quarter, year.",
		],
	],
	[
		"two caps in one",
		"{ id: b, period: month, capUsd: 5, instances: 3 }",
		["6:42 error capUsd and instances cannot be combined: a budget caps one thing. | Move instances to another budget."],
	],
	[
		"a rate with a period",
		"{ id: b, period: month, burnRateUsdPerHour: 5 }",
		["6:16 error burnRateUsdPerHour applies at every moment and has no period. | Remove period, or use capUsd for a cap per period."],
	],
	[
		"a cap that could only act too late",
		"{ id: b, instances: 5, atCap: terminate }",
		["6:30 error instances cannot terminate: jobs that would exceed it wait, so running jobs never do. | Remove atCap, or use capUsd."],
	],
	["half an instance", "{ id: b, instances: 1.5 }", ["6:27 error spec.budgets[0].instances must be a whole number, not 1.5."]],
	[
		"a rate in words",
		"{ id: b, burnRateUsdPerHour: lots }",
		[
			"6:36 error spec.budgets[0].burnRateUsdPerHour must be an amount in USD of 0 or more, with at most six decimals, not lots. | Write for example 500.",
		],
	],
	[
		"an unknown reaction",
		"{ id: b, period: month, capUsd: 5, atCap: stop }",
		['6:49 error spec.budgets[0].atCap must be one of hold, checkpoint-and-return, terminate, not "stop".'],
	],
	[
		"a scope without quotes",
		"{ id: b, period: month, capUsd: 5, scope: everyone }",
		['6:49 error There is no everyone. | Write job fields as job.… Put text in quotes: "everyone".'],
	],
];

describe("invalid budgets", () => {
	it.each(WRONG_BUDGETS)("%s", (_what, budget, want) => {
		expect(problemsIn(budgetsText(budget))).toEqual(want);
	});
});

describe("budgets", () => {
	it.each([
		["50000", 50_000_000_000n],
		["0", 0n],
		["0.1", 100_000n],
		["1234.567891", 1_234_567_891n],
		["'12.50'", 12_500_000n],
	])("reads capUsd: %s exactly", (written, want) => {
		expect(policyOf(budgetsText(`{ id: b, period: month, capUsd: ${written} }`)).budgets[0]?.capMicroUsd).toBe(want);
	});

	it("defaults to everyone, and applies at the cap", () => {
		expect(policyOf(budgetsText("{ id: b, period: quarter, capUsd: 5 }")).budgets[0]).toMatchObject({
			scope: "true",
			atCap: "hold",
			period: "quarter",
		});
	});

	it.each(["hold", "checkpoint-and-return", "terminate"])("accepts atCap: %s", (atCap) => {
		expect(policyOf(budgetsText(`{ id: b, period: month, capUsd: 5, atCap: ${atCap} }`)).budgets[0]?.atCap).toBe(atCap);
	});

	it("reads caps next to money budgets, each with its line", () => {
		const text = budgetsText(
			"{ id: money, period: month, capUsd: 5 }",
			"{ id: burn, scope: 'job.team == \"risk\"', burnRateUsdPerHour: 400.5, atCap: hold }",
			"{ id: machines, instances: 20 }",
			"{ id: traffic, period: quarter, egressGiB: 20000.5 }",
		);
		const { policy, problems } = parsePolicy(text);
		expect(problems).toEqual([]);
		expect(policy?.budgets.map((b) => b.id)).toEqual(["money"]);
		expect(policy?.caps).toEqual([
			{ kind: "burn_rate", id: "burn", scope: 'job.team == "risk"', microUsdPerHour: 400_500_000n, line: 7 },
			{ kind: "instances", id: "machines", scope: "true", count: 20, line: 8 },
			{ kind: "egress", id: "traffic", scope: "true", period: "quarter", gib: 20_000.5, line: 9 },
		]);
	});

	it("rejects the same id for a budget and a cap", () => {
		expect(problemsIn(budgetsText("{ id: b, period: month, capUsd: 5 }", "{ id: b, instances: 2 }"))[0]).toContain(
			"7:13 error The budget ID b is already used on line 6.",
		);
	});

	it("accepts scope: true without quotes", () => {
		expect(policyOf(budgetsText("{ id: b, period: year, capUsd: 5, scope: true }")).budgets[0]?.scope).toBe("true");
	});
});

describe("the document", () => {
	it.each([
		["", "1:1 error The policy is empty."],
		["- a", "1:1 error The policy must have fields."],
		["[", "1:2 error Invalid YAML: Flow sequence must end with a ]."],
		["x\n---\ny", "2:1 error Invalid YAML: Source contains multiple documents."],
		["a: !foo b", "1:4 error Invalid YAML: Unresolved tag: !foo."],
		["apiVersion: spillway/v1\nkind: Policy\nspec:\n\trules: []", "4:1 error Invalid YAML: Tabs are not allowed as indentation."],
		[
			"apiVersion: spillway/v2\nkind: Policy\nmetadata: { name: d }\nspec: {}",
			'1:13 error apiVersion must be spillway/v1, not "spillway/v2".',
		],
	])("%j", (text, want) => {
		expect(problemsIn(text)[0]?.split(" | ")[0]).toBe(want);
	});

	it("is bounded", () => {
		expect(problemsIn("x".repeat(POLICY_LIMITS.documentCharacters + 1))[0]).toContain("the limit is 65536");
		const rules = Array.from({ length: POLICY_LIMITS.rules + 1 }, () => "{}");
		expect(problemsIn(rulesText(...rules))[0]).toContain(`at most ${POLICY_LIMITS.rules} entries`);
		expect(problemsIn("[".repeat(POLICY_LIMITS.documentCharacters)).length).toBeLessThanOrEqual(POLICY_LIMITS.problems);
	});

	it("rejects a nonexistent site when the sites are known", () => {
		const text = rulesText("{ id: a, deny: { sites: [aws-mian] } }", "{ id: b, burst: { always: true } }");
		expect(parsePolicy(text).policy).not.toBeNull();
		const [problem] = parsePolicy(text, { siteIds: ["home", "aws-main"] }).problems;
		expect(problem).toMatchObject({
			severity: "error",
			line: 6,
			column: 32,
			message: 'There is no site "aws-mian".',
			fix: "Did you mean aws-main?",
		});
	});

	it("warns about a likely misspelling of cloud or owned", () => {
		expect(problemsIn(rulesText("{ id: a, deny: { sites: [clouds] } }"))).toContain(
			'6:32 warning "clouds" is treated as a site ID. | Did you mean cloud?',
		);
	});

	it("warns when jobs can burst without a budget, and when no rule lets them burst", () => {
		expect(problemsIn(rulesText("{ id: a, burst: { always: true } }"))[0]).toContain("warning Jobs can burst and no budget caps the cost.");
		expect(problemsIn(rulesText("{ id: a, limit: { instanceHours: 1 } }"))[0]).toContain("warning No rule lets jobs burst");
	});
});
