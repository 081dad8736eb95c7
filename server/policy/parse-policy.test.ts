import { describe, expect, it } from "vitest";
import { demoPolicy } from "./demo-policy.ts";
import { POLICY_LIMITS } from "./limits.ts";
import { parsePolicy } from "./parse-policy.ts";
import { budgetsText, FIRST_RULE_LINE, policyOf, problemsIn, rulesText } from "./testing/builders.ts";

/** The policy of the design, with and without the fields that nothing enforces yet. */
function designPolicy({ unsupported }: { unsupported: boolean }): string {
	const only = (line: string) => (unsupported ? `${line}\n` : "");
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
      limit: { instanceHours: 24${unsupported ? ", idleMinutes: 10, gpuUtilisationBelow: { percent: 5, for: 30m }" : ""} }
${only("    - id: ask-first")}${only("      when: quote.costUsd > 2000.0")}${only("      require: { approval: platform }")}  budgets:
    - { id: cloud-month, scope: "true", period: month, capUsd: 50000, atCap: hold }
${only("    - { id: risk-burn, scope: 'job.team == \"risk\"', burnRateUsdPerHour: 400 }")}${only('    - { id: egress, scope: "true", period: month, egressGiB: 20000 }')}  weights: { delayUsdPerHour: 5, carbonUsdPerTonne: 80 }
`;
}

describe("the policy of the design", () => {
	it("is read whole without what nothing enforces yet", () => {
		const { policy, problems } = parsePolicy(designPolicy({ unsupported: false }));
		expect(problems).toEqual([]);
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
					effect: { kind: "limit", instanceMs: 86_400_000, idleMs: null, gpuUtilisationBelow: null },
				},
			],
			budgets: [{ id: "cloud-month", scope: "true", period: "month", capMicroUsd: 50_000_000_000n, atCap: "hold", line: 22 }],
			caps: [],
			shares: [],
			weights: { delayMicroUsdPerHour: 5_000_000n, carbonMicroUsdPerTonne: 80_000_000n },
		});
	});

	it("is refused with each field that nothing enforces yet named at its place", () => {
		const { policy, problems } = parsePolicy(designPolicy({ unsupported: true }));
		expect(policy).toBeNull();
		expect(problems.map((p) => [p.severity, p.line, p.column, p.message.replace(/:.*/, "")])).toEqual([
			["error", 20, 35, "spec.rules[5].limit.idleMinutes is not supported yet"],
			["error", 20, 52, "spec.rules[5].limit.gpuUtilisationBelow is not supported yet"],
			["error", 23, 18, "spec.rules[6].require.approval is not supported yet"],
			["error", 26, 53, "spec.budgets[1].burnRateUsdPerHour is not supported yet"],
			["error", 27, 51, "spec.budgets[2].egressGiB is not supported yet"],
		]);
		for (const problem of problems) expect(problem.fix).not.toBeNull();
	});
});

describe("the demo's policy", () => {
	it("has no problems and takes the cap and the instance life that are set", () => {
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
		"6:16 error wehn is not a field of spec.rules[0]. | Did you mean when?",
	],
	["a misspelt effect", "{ id: a, dney: { sites: [cloud] } }", "6:16 error dney is not a field of spec.rules[0]. | Did you mean deny?"],
	[
		"an unknown field inside",
		'{ id: a, deny: { regoins: ["aws:*"] } }',
		"6:24 error regoins is not a field of spec.rules[0].deny. | Did you mean regions?",
	],
	[
		"no effect",
		"{ id: a }",
		"6:7 error spec.rules[0] does nothing. | Give it one of: deny, allow, burst, require, preempt, move, defer, limit.",
	],
	[
		"no id",
		"{ deny: { sites: [cloud] } }",
		"6:7 error spec.rules[0] has no id. | Give the rule a name, for example id: sensitive-stays-home.",
	],
	[
		"two effects",
		"{ id: a, deny: { sites: [cloud] }, limit: { instanceHours: 1 } }",
		"6:42 error spec.rules[0] has both deny and limit; a rule does one thing. | Move limit to a rule of its own.",
	],
	["a value for a list", "{ id: a, deny: { sites: cloud } }", "6:31 error spec.rules[0].deny.sites must be a list. | Write [cloud]."],
	[
		"an empty list",
		"{ id: a, deny: { sites: [] } }",
		"6:31 error spec.rules[0].deny.sites is an empty list, which could mean all or none. | Name the places, or leave the field out.",
	],
	[
		"a pattern of sites",
		'{ id: a, deny: { sites: ["aws-*"] } }',
		'6:32 error Sites are named, not matched: "aws-*". | Name each site, or write cloud or owned for all of a kind.',
	],
	[
		"a region without provider",
		"{ id: a, deny: { regions: [eu-west-1] } }",
		'6:34 error "eu-west-1" names no provider; regions are written provider:region. | Write for example "aws:eu-west-1".',
	],
	["a misspelt provider", '{ id: a, deny: { regions: ["asw:eu-*"] } }', '6:34 error There is no cloud provider "asw". | Did you mean aws?'],
	[
		"a misspelt capacity type",
		"{ id: a, deny: { capacityTypes: [sopt] } }",
		'6:40 error spec.rules[0].deny.capacityTypes[0] cannot be "sopt". | Did you mean spot?',
	],
	[
		"a length without unit",
		"{ id: a, burst: { after: { forecastWait: 30 } } }",
		"6:48 error 30 what? A length of time needs a unit. | Write 30s, 30m or 30h.",
	],
	[
		"a length in parsecs",
		"{ id: a, burst: { after: { waited: 6 parsecs } } }",
		'6:42 error "6 parsecs" is not a length of time. | Write for example 90s, 15m, 6h or 1h30m.',
	],
	[
		"two triggers in after",
		"{ id: a, burst: { after: { forecastWait: 30m, waited: 1h } } }",
		"6:32 error after takes one trigger: two could mean both or either. | Keep one, and write the others in or: a job bursts when any of them is met.",
	],
	[
		"a trigger twice",
		"{ id: a, burst: { after: { waited: 30m }, or: { waited: 1h } } }",
		"6:53 error waited is in after and in or. | Keep one of them.",
	],
	[
		"always with a trigger",
		"{ id: a, burst: { always: true, after: { waited: 1h } } }",
		"6:25 error always stands alone: what bursts at once does not wait for anything. | Take after and or away.",
	],
	[
		"hours with a unit",
		"{ id: a, limit: { instanceHours: 24h } }",
		"6:40 error spec.rules[0].limit.instanceHours must be a number of hours above 0 and at most 2160, not 24h. | Write 24; it is counted in hours.",
	],
	[
		"owned as a requirement",
		"{ id: a, require: { capacityType: owned } }",
		'6:41 error spec.rules[0].require.capacityType cannot be "owned". | There are: reserved, on_demand, spot.',
	],
	[
		"an unknown role",
		"{ id: a, require: { approval: finanse } }",
		'6:37 error spec.rules[0].require.approval cannot be "finanse". | Did you mean finance?',
	],
	[
		"an empty condition",
		"{ id: a, deny: { sites: [cloud] }, when: }",
		'6:48 error spec.rules[0].when is empty. | Write for example job.class == "sensitive".',
	],
	[
		"an alias",
		"{ id: a, deny: { sites: *x } }",
		"6:31 error Aliases (*name) are not read in a policy: every rule must show what it does. | Write the value out.",
	],
	[
		"a key twice",
		"{ id: a, id: b, deny: { sites: [cloud] } }",
		"6:16 error The YAML cannot be read: the key id is there twice. | Keep one of them.",
	],
	[
		"a text for a rule",
		"burst",
		"6:7 error spec.rules[0] must have fields. | Write them indented below it: id, when, deny, allow, burst, require, preempt, move, defer, limit.",
	],
];

describe("wrong rules", () => {
	it.each(WRONG_RULES)("%s", (_what, rule, want) => {
		expect(FIRST_RULE_LINE).toBe(6);
		expect(problemsIn(rulesText(rule))).toEqual([want]);
		expect(parsePolicy(rulesText(rule)).policy).toBeNull();
	});
});

const CAP = "must be an amount of USD, 0 or more, with at most six decimals";
const WRONG_BUDGETS: [what: string, budget: string, want: string[]][] = [
	[
		"a currency sign",
		"{ id: b, period: month, capUsd: $500 }",
		[`6:39 error spec.budgets[0].capUsd ${CAP}, not $500. | Write for example 500.`],
	],
	[
		"a negative cap",
		"{ id: b, period: month, capUsd: -1 }",
		[`6:39 error spec.budgets[0].capUsd ${CAP}, not -1. | Write for example 500.`],
	],
	["an exponent", "{ id: b, period: month, capUsd: 1e3 }", [`6:39 error spec.budgets[0].capUsd ${CAP}, not 1e3. | Write for example 500.`]],
	[
		"seven decimals",
		"{ id: b, period: month, capUsd: 0.1234567 }",
		[`6:39 error spec.budgets[0].capUsd ${CAP}, not 0.1234567. | Write for example 500.`],
	],
	[
		"an unknown period",
		"{ id: b, period: mnoth, capUsd: 5 }",
		['6:24 error spec.budgets[0].period cannot be "mnoth". | Did you mean month?'],
	],
	[
		"neither period nor cap",
		"{ id: b }",
		[
			"6:7 error spec.budgets[0] has no period. | Write period: month, quarter, year.",
			"6:7 error spec.budgets[0] caps nothing. | Write for example capUsd: 50000; or burnRateUsdPerHour, egressGiB or instances.",
		],
	],
	[
		"a scope without quotes",
		"{ id: b, period: month, capUsd: 5, scope: everyone }",
		['6:49 error There is no everyone. | A field of the job is written job.… A text stands in quotes: "everyone".'],
	],
];

describe("wrong budgets", () => {
	it.each(WRONG_BUDGETS)("%s", (_what, budget, want) => {
		expect(problemsIn(budgetsText(budget))).toEqual(want);
	});

	it.each(["checkpoint-and-return", "terminate"])("refuses atCap: %s, which nothing does yet", (atCap) => {
		const [problem] = parsePolicy(budgetsText(`{ id: b, period: month, capUsd: 5, atCap: ${atCap} }`)).problems;
		expect(problem).toMatchObject({ severity: "error", line: 6, column: 42 });
		expect(problem?.message).toContain("atCap is not supported yet");
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

	it("is for everybody and holds at the cap unless it says otherwise", () => {
		expect(policyOf(budgetsText("{ id: b, period: quarter, capUsd: 5 }")).budgets[0]).toMatchObject({
			scope: "true",
			atCap: "hold",
			period: "quarter",
		});
	});

	it("takes scope: true without quotes", () => {
		expect(policyOf(budgetsText("{ id: b, period: year, capUsd: 5, scope: true }")).budgets[0]?.scope).toBe("true");
	});
});

describe("the document", () => {
	it.each([
		["", "1:1 error The policy is empty."],
		["- a", "1:1 error the policy must have fields."],
		["[", "1:2 error The YAML cannot be read: Flow sequence must end with a ]."],
		["x\n---\ny", "2:1 error The YAML cannot be read: Source contains multiple documents."],
		["a: !foo b", "1:4 error The YAML cannot be read: Unresolved tag: !foo."],
		[
			"apiVersion: spillway/v1\nkind: Policy\nspec:\n\trules: []",
			"4:1 error The YAML cannot be read: Tabs are not allowed as indentation.",
		],
		["apiVersion: spillway/v2\nkind: Policy\nmetadata: { name: d }\nspec: {}", '1:13 error apiVersion cannot be "spillway/v2".'],
	])("%j", (text, want) => {
		expect(problemsIn(text)[0]?.split(" | ")[0]).toBe(want);
	});

	it("is bounded", () => {
		expect(problemsIn("x".repeat(POLICY_LIMITS.documentCharacters + 1))[0]).toContain("at most 65536 are read");
		const rules = Array.from({ length: POLICY_LIMITS.rules + 1 }, () => "{}");
		expect(problemsIn(rulesText(...rules))[0]).toContain(`at most ${POLICY_LIMITS.rules} are read`);
		expect(problemsIn("[".repeat(POLICY_LIMITS.documentCharacters)).length).toBeLessThanOrEqual(POLICY_LIMITS.problems);
	});

	it("refuses a site that does not exist when it knows the sites", () => {
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

	it("warns of a word for a site that nearly means all of a kind", () => {
		expect(problemsIn(rulesText("{ id: a, deny: { sites: [clouds] } }"))).toContain(
			'6:32 warning "clouds" is read as the id of a site. | Did you mean cloud?',
		);
	});

	it("warns when jobs may burst and nothing caps the money, and when nothing ever bursts", () => {
		expect(problemsIn(rulesText("{ id: a, burst: { always: true } }"))[0]).toContain(
			"warning Jobs may burst and no budget caps the money.",
		);
		expect(problemsIn(rulesText("{ id: a, limit: { instanceHours: 1 } }"))[0]).toContain("warning No rule lets a job burst");
	});
});
