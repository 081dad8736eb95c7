import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BUDGET_PERIODS, CAP_REACTIONS, type CapRule, MOVE_KINDS, type Policy, type RuleEffect } from "#server/domain/policy.ts";
import { CAPACITY_TYPES, PROVIDERS, ROLES, WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { checkExpression } from "./check-expression.ts";
import { ConditionLogic } from "./condition-logic.ts";
import { demoPolicy } from "./demo-policy.ts";
import { describePolicy } from "./describe-rule.ts";
import { evaluateExpression } from "./expression.ts";
import { sourceOffset } from "./expression-position.ts";
import { JobFacts } from "./job-facts.ts";
import { judgeJob } from "./judge-job.ts";
import { judgePlace } from "./judge-place.ts";
import { judgeQuote } from "./judge-quote.ts";
import { POLICY_LIMITS } from "./limits.ts";
import { globsOverlap, matchesGlob } from "./match-pattern.ts";
import { parsePolicy } from "./parse-policy.ts";
import { aJob, budgetsText, rulesText } from "./testing/builders.ts";
import type { Place } from "./types.ts";

const TEXTS = [
	demoPolicy(),
	rulesText(
		'{ id: a, when: \'"eu" in job.residency\', allow: { regions: ["aws:eu-*"], capacityTypes: [spot] } }',
		"{ id: b, limit: { instanceHours: 2 } }",
	),
	budgetsText(
		"{ id: c, scope: 'job.team == \"risk\"', period: month, capUsd: 12.5, atCap: terminate }",
		"{ id: d, burnRateUsdPerHour: 4 }",
		"{ id: e, instances: 3 }",
	),
	`${rulesText(
		"{ id: d, when: job.hasDeadline && job.gpus > 4, preempt: { classes: [baseline, experimental] } }",
		"{ id: e, move: { to: [home, cheaper], savingUsd: 0.5 } }",
		"{ id: f, when: job.gpus < 4 || job.critical, defer: { to: greener, within: 12h } }",
		"{ id: g, burst: { after: { waited: 5m }, only: { costAtMostUsd: 5, dataAtMostGiB: 50 } } }",
		"{ id: h, limit: { idleMinutes: 5, gpuUtilisationBelow: { percent: 5, for: 5m } } }",
	)}  shares: { risk: 2, vision: 1 }\n`,
];

/** A policy text with a few pieces removed, duplicated or replaced. */
const mutated = fc
	.tuple(
		fc.constantFrom(...TEXTS),
		fc.array(
			fc.record({
				at: fc.nat(2_000),
				cut: fc.nat(12),
				put: fc.oneof(
					fc.string({ maxLength: 6 }),
					fc.constantFrom(
						"*",
						"&a ",
						"'",
						'"',
						"{",
						"}",
						"[",
						"]",
						":",
						"\n",
						"\t",
						"- ",
						"|",
						"!!set ",
						"null",
						"__proto__: 1",
						"<<: ",
						"\ud800",
					),
				),
			}),
			{ minLength: 1, maxLength: 4 },
		),
	)
	.map(([text, edits]) => edits.reduce((t, e) => t.slice(0, e.at % t.length) + e.put + t.slice((e.at % t.length) + e.cut), text));

describe("parsePolicy", () => {
	it("gives a policy for any text, or errors with a position in it", () => {
		fc.assert(
			fc.property(fc.oneof(mutated, fc.string({ unit: "binary", maxLength: 300 })), (text) => {
				const { policy, problems } = parsePolicy(text);
				expect(policy === null).toBe(problems.some((p) => p.severity === "error"));
				const lineCount = text.split("\n").length;
				for (const p of problems) {
					expect(p.line).toBeGreaterThanOrEqual(1);
					expect(p.line).toBeLessThanOrEqual(lineCount);
					expect(p.column).toBeGreaterThanOrEqual(1);
					expect(p.message).not.toBe("");
				}
				expect(problems.length).toBeLessThanOrEqual(POLICY_LIMITS.problems);
				if (policy) describePolicy(policy);
			}),
			{ numRuns: 800 },
		);
	});

	it("depends only on the text", () => {
		fc.assert(
			fc.property(mutated, (text) => {
				expect(parsePolicy(text)).toEqual(parsePolicy(text));
			}),
			{ numRuns: 100 },
		);
	});
});

const word = fc.constantFrom(
	"job",
	"quote",
	"gpus",
	"class",
	"labels",
	"residency",
	"x",
	"has",
	"exists",
	"size",
	".",
	"(",
	")",
	"[",
	"]",
	"==",
	">",
	"&&",
	"||",
	"!",
	"in",
	"+",
	"-",
	"1",
	"2.5",
	'"eu"',
	"'burst'",
	",",
	"?",
	":",
	"true",
	"null",
	"{",
	"}",
);
const expression = fc.oneof(
	fc.array(word, { maxLength: 14 }).map((words) => words.join("")),
	fc.array(word, { maxLength: 14 }).map((words) => words.join(" ")),
	fc.string({ unit: "binary", maxLength: 60 }),
	fc.constantFrom("job.gpus > 4", 'job.labels.tier == "gold"', "1 / 0 == 1", "quote.costUsd > 5", "job.gpsu > 1", "true", "false"),
);

describe("checkExpression", () => {
	it("never throws and points into the expression", () => {
		fc.assert(
			fc.property(expression, fc.constantFrom("job" as const, "job_and_quote" as const), (text, scope) => {
				for (const p of checkExpression(text, scope)) {
					expect(p.offset).toBeGreaterThanOrEqual(0);
					expect(p.offset).toBeLessThanOrEqual(text.length);
				}
			}),
			{ numRuns: 2_000 },
		);
	});
});

describe("sourceOffset", () => {
	it("finds a character of a plainly quoted text at its position", () => {
		fc.assert(
			fc.property(
				fc.string({ unit: fc.constantFrom("a", "b", "'", " ", '"', "\\"), minLength: 1, maxLength: 20 }),
				fc.nat(),
				(value, n) => {
					const source = `x: '${value.replaceAll("'", "''")}'`;
					const index = n % value.length;
					const found = sourceOffset(source, { start: 3, end: source.length }, value, index);
					expect(source[found]).toBe(value[index]);
					expect(found).toBeGreaterThan(3);
					expect(found).toBeLessThan(source.length - 1);
				},
			),
		);
	});
});

const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*", ":", "-"), maxLength: 8 });
const plain = fc.string({ unit: fc.constantFrom("a", "b", ":", "-"), maxLength: 8 });

describe("patterns", () => {
	it("match like the regular expression", () => {
		fc.assert(
			fc.property(pattern, plain, (p, text) => {
				expect(matchesGlob(p, text)).toBe(new RegExp(`^${p.split("*").join(".*")}$`).test(text));
			}),
			{ numRuns: 1_000 },
		);
	});

	it("overlap whenever a text matches both", () => {
		fc.assert(
			fc.property(pattern, pattern, plain, (a, b, text) => {
				if (matchesGlob(a, text) && matchesGlob(b, text)) expect(globsOverlap(a, b)).toBe(true);
				expect(globsOverlap(a, b)).toBe(globsOverlap(b, a));
			}),
			{ numRuns: 1_000 },
		);
	});
});

const names = fc.array(fc.constantFrom("cloud", "owned", "home", "aws-main", "aws:eu-*", "p4d", "*"), { maxLength: 3 });
const capacityTypes = fc.array(fc.constantFrom(...CAPACITY_TYPES), { maxLength: 3 });
const duration = fc.option(fc.integer({ min: 1, max: 1e9 }));
const effect: fc.Arbitrary<RuleEffect> = fc.oneof(
	fc.record({
		kind: fc.constantFrom("deny" as const, "allow" as const),
		sites: names,
		regions: names,
		instanceFamilies: names,
		capacityTypes,
	}),
	fc.record({
		kind: fc.constant("require" as const),
		capacityType: fc.option(fc.constantFrom("spot" as const, "on_demand" as const)),
		approval: fc.option(fc.constantFrom(...ROLES)),
	}),
	fc.record({
		kind: fc.constant("burst" as const),
		forecastWaitMs: duration,
		waitedMs: duration,
		deadlineSlackMs: duration,
		queueLength: duration,
		always: fc.boolean(),
		costAtMostMicroUsd: fc.option(fc.bigInt({ min: 0n, max: 10n ** 9n })),
		dataAtMostGiB: fc.option(fc.nat()),
	}),
	fc.record({
		kind: fc.constant("limit" as const),
		instanceMs: duration,
		idleMs: duration,
		gpuUtilisationBelow: fc.option(fc.record({ percent: fc.integer({ min: 1, max: 100 }), forMs: fc.integer({ min: 1, max: 1e9 }) })),
	}),
	fc.record({
		kind: fc.constant("preempt" as const),
		classes: fc.subarray([...WORKLOAD_CLASSES], { minLength: 1 }),
		longerBy: fc.option(fc.integer({ min: 2, max: 20 })),
	}),
	fc.record({
		kind: fc.constant("move" as const),
		to: fc.subarray([...MOVE_KINDS], { minLength: 1 }),
		savingMicroUsd: fc.bigInt({ min: 0n, max: 10n ** 9n }),
	}),
	fc.record({
		kind: fc.constant("defer" as const),
		to: fc.constantFrom("cheaper" as const, "greener" as const),
		withinMs: fc.integer({ min: 1, max: 1e9 }),
	}),
);
const capId = fc.string({ minLength: 1, maxLength: 3 });
const cap: fc.Arbitrary<CapRule> = fc.oneof(
	fc.record({
		id: capId,
		scope: expression,
		line: fc.nat(),
		kind: fc.constant("burn_rate" as const),
		microUsdPerHour: fc.bigInt({ min: 0n, max: 10n ** 12n }),
	}),
	fc.record({ id: capId, scope: expression, line: fc.nat(), kind: fc.constant("instances" as const), count: fc.nat() }),
	fc.record({
		id: capId,
		scope: expression,
		line: fc.nat(),
		kind: fc.constant("egress" as const),
		period: fc.constantFrom(...BUDGET_PERIODS),
		gib: fc.nat(),
	}),
);
const policy: fc.Arbitrary<Policy> = fc.record({
	name: fc.constant("p"),
	rules: fc.array(fc.record({ id: fc.string({ minLength: 1, maxLength: 3 }), when: fc.option(expression), line: fc.nat(), effect }), {
		maxLength: 6,
	}),
	budgets: fc.array(
		fc.record({
			id: fc.string(),
			scope: expression,
			period: fc.constant("month" as const),
			capMicroUsd: fc.bigInt({ min: 0n, max: 10n ** 15n }),
			atCap: fc.constantFrom(...CAP_REACTIONS),
			line: fc.nat(),
		}),
		{ maxLength: 2 },
	),
	caps: fc.array(cap, { maxLength: 3 }),
	shares: fc.array(fc.record({ team: fc.string(), weight: fc.double({ min: 0.001, max: 1_000, noNaN: true }) }), { maxLength: 3 }),
	weights: fc.record({
		delayMicroUsdPerHour: fc.bigInt({ min: 0n, max: 10n ** 9n }),
		carbonMicroUsdPerTonne: fc.bigInt({ min: 0n, max: 10n ** 9n }),
		pointsPerGpuHour: fc.double({ min: 0, max: 100, noNaN: true }),
	}),
});
const job = fc
	.record({
		class: fc.constantFrom(...WORKLOAD_CLASSES),
		team: fc.string(),
		labels: fc.dictionary(fc.string(), fc.string()),
		nodes: fc.integer({ min: 1, max: 256 }),
	})
	.map((over) => aJob(over));
const place: fc.Arbitrary<Place> = fc.record({
	siteId: fc.constantFrom("home", "aws-main"),
	provider: fc.constantFrom(...PROVIDERS),
	region: fc.option(fc.constantFrom("eu-west-1", "us-east-1")),
	instanceType: fc.option(fc.constantFrom("p4d.24xlarge", "g5.xlarge", "Standard_ND96asr_v4")),
	capacityType: fc.constantFrom(...CAPACITY_TYPES),
});

describe("the judges", () => {
	it("give a result for every policy, job, place and quote, and name rules of the policy", () => {
		fc.assert(
			fc.property(policy, job, place, fc.double(), (p, spec, where, costUsd) => {
				const verdict = judgeJob(p, spec);
				expect(judgeJob(p, spec)).toEqual(verdict);
				const removal = judgePlace(verdict, where);
				if (removal) expect(p.rules.map((r) => r.id)).toContain(removal.ruleId);
				judgeQuote(p, spec, { costUsd, hourlyUsd: costUsd, offer: null });
				describePolicy(p);
			}),
			{ numRuns: 600 },
		);
	});

	it("never leave more places when a denying, allowing or requiring rule is added", () => {
		const filtering = effect.filter((e) => e.kind === "deny" || e.kind === "allow" || e.kind === "require");
		fc.assert(
			fc.property(policy, filtering, fc.option(expression), job, place, (p, added, when, spec, where) => {
				const stricter = { ...p, rules: [...p.rules, { id: "added", when, line: 99, effect: added }] };
				if (judgePlace(judgeJob(p, spec), where)) expect(judgePlace(judgeJob(stricter, spec), where)).not.toBeNull();
			}),
			{ numRuns: 400 },
		);
	});

	it("never permit more when a rule that cannot be evaluated is added", () => {
		fc.assert(
			fc.property(policy, effect, job, (p, added, spec) => {
				const rule = { id: "added", when: "1 / 0 == 1", line: 99, effect: added };
				const [before, after] = [judgeJob(p, spec), judgeJob({ ...p, rules: [...p.rules, rule] }, spec)];
				for (const permits of ["burst", "preempt", "moves", "defers"] as const) expect(after[permits]).toEqual(before[permits]);
				expect(after.limits.instanceMs?.value ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(
					before.limits.instanceMs?.value ?? Number.POSITIVE_INFINITY,
				);
				expect(after.limits.idleMs?.value ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(
					before.limits.idleMs?.value ?? Number.POSITIVE_INFINITY,
				);
				expect(after.filters.length).toBeGreaterThanOrEqual(before.filters.length);
			}),
			{ numRuns: 400 },
		);
	});

	it("apply a cap or budget exactly when its scope holds or cannot be evaluated", () => {
		fc.assert(
			fc.property(policy, job, (p, spec) => {
				const verdict = judgeJob(p, spec);
				const counted = (scope: string) => evaluateExpression(scope, { job: new JobFacts(spec) }).holds !== false;
				expect(verdict.caps).toEqual(p.caps.filter((c) => counted(c.scope)));
				expect(verdict.budgets).toEqual(p.budgets.filter((b) => counted(b.scope)));
			}),
			{ numRuns: 300 },
		);
	});
});

describe("an expression of any length and depth", () => {
	it.each([
		["brackets", "(".repeat(500)],
		["a deep condition", `${"(".repeat(300)}true${")".repeat(300)}`],
		["negations", `${"!".repeat(900)}true`],
		["a long chain", Array.from({ length: 60 }, (_, i) => `job.gpus > ${i % 7}`).join(" || ")],
		["alternatives of alternatives", Array.from({ length: 12 }, (_, i) => `(job.gpus > ${i} || job.nodes < ${i})`).join(" && ")],
		["nested conditionals", `${"job.critical ? true : ".repeat(40)}false`],
		["a long text", `job.name == "${"a".repeat(900)}"`],
		["a loop over a loop", "job.residency.all(x, job.accelerators.all(y, x == y))"],
		["a number out of range", "job.gpus > 99999999999999999999999999"],
	])("is answered: %s", (_what, text) => {
		const problems = checkExpression(text, "job");
		for (const p of problems) expect(p.offset).toBeLessThanOrEqual(text.length);
		const evaluated = evaluateExpression(text, { job: new JobFacts(aJob()) });
		expect(evaluated.error === null).toBe(typeof evaluated.holds === "boolean");
		const logic = new ConditionLogic();
		if (logic.never(text)) expect(evaluated.holds).toBe(false);
		if (logic.always(text)) expect(evaluated.holds).toBe(true);
		expect(parsePolicy(rulesText(`{ id: a, when: '${text}', limit: { instanceHours: 1 } }`)).problems.length).toBeLessThanOrEqual(
			POLICY_LIMITS.problems,
		);
	});
});
