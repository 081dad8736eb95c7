import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Policy, RuleEffect } from "#server/domain/policy.ts";
import { CAPACITY_TYPES, PROVIDERS, ROLES, WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { checkExpression } from "./check-expression.ts";
import { demoPolicy } from "./demo-policy.ts";
import { describePolicy } from "./describe-rule.ts";
import { sourceOffset } from "./expression-position.ts";
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
	budgetsText("{ id: c, scope: 'job.team == \"risk\"', period: month, capUsd: 12.5 }"),
];

/** A policy text with a few pieces cut out, doubled or replaced. */
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
	it("answers any text with a policy or with errors that have a place in it", () => {
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

	it("is a function of the text alone", () => {
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
	it("finds a character of a plainly quoted text where it stands", () => {
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
	it("match as the regular expression would", () => {
		fc.assert(
			fc.property(pattern, plain, (p, text) => {
				expect(matchesGlob(p, text)).toBe(new RegExp(`^${p.split("*").join(".*")}$`).test(text));
			}),
			{ numRuns: 1_000 },
		);
	});

	it("overlap whenever a text fits both", () => {
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
		costAtMostMicroUsd: fc.constant(null),
		dataAtMostGiB: fc.constant(null),
	}),
	fc.record({ kind: fc.constant("limit" as const), instanceMs: duration, idleMs: duration, gpuUtilisationBelow: fc.constant(null) }),
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
			atCap: fc.constant("hold" as const),
			line: fc.nat(),
		}),
		{ maxLength: 2 },
	),
	caps: fc.constant([]),
	shares: fc.constant([]),
	weights: fc.record({
		delayMicroUsdPerHour: fc.bigInt({ min: 0n, max: 10n ** 9n }),
		carbonMicroUsdPerTonne: fc.bigInt({ min: 0n, max: 10n ** 9n }),
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
	it("answer for every policy, job, place and quote, and name rules of the policy", () => {
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

	it("never leave more places with one rule more that denies, allows or requires", () => {
		const filtering = effect.filter((e) => e.kind === "deny" || e.kind === "allow" || e.kind === "require");
		fc.assert(
			fc.property(policy, filtering, fc.option(expression), job, place, (p, added, when, spec, where) => {
				const stricter = { ...p, rules: [...p.rules, { id: "added", when, line: 99, effect: added }] };
				if (judgePlace(judgeJob(p, spec), where)) expect(judgePlace(judgeJob(stricter, spec), where)).not.toBeNull();
			}),
			{ numRuns: 400 },
		);
	});
});
