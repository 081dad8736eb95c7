import { describe, expect, it } from "vitest";
import { checkExpression } from "./check-expression.ts";
import { evaluateExpression } from "./expression.ts";
import { JobFacts } from "./job-facts.ts";
import { POLICY_LIMITS } from "./limits.ts";
import { parsePolicy } from "./parse-policy.ts";
import { aJob, data, rulesText } from "./testing/builders.ts";

/** [expression, column of the problem within it (from 0), message, fix] */
const WRONG: [expression: string, offset: number, message: string, fix: string | null][] = [
	["job.gpsu > 4", 4, "job has no gpsu.", "Did you mean gpus?"],
	["has(job.gpsu)", 8, "job has no gpsu.", "Did you mean gpus?"],
	["job.critical && job.teem == 'x'", 20, "job has no teem.", "Did you mean team?"],
	["gpus > 4", 0, "There is no gpus.", 'Did you mean job.gpus? Put text in quotes: "gpus".'],
	["jb.gpus > 4", 0, "There is no jb.", 'Did you mean job? Put text in quotes: "jb".'],
	["job.class == sensitive", 13, "There is no sensitive.", 'Write job fields as job.… Put text in quotes: "sensitive".'],
	['job.class == "experimantal"', 13, '"experimantal" is not a known workload class.', "Did you mean experimental?"],
	['"sensitiv" != job.class', 0, '"sensitiv" is not a known workload class.', "Did you mean sensitive?"],
	['job.class in ["burst", "sensitiv"]', 23, '"sensitiv" is not a known workload class.', "Did you mean sensitive?"],
	["job.class == 4", 0, "== cannot be used between a text and a number.", 'Put text in quotes: "eu".'],
	["job.critical > 1", 0, "> cannot be used between true or false and a number.", null],
	["job.class", 0, "The condition is a text, not true or false.", 'Compare it with something, for example job.class == "sensitive".'],
	['job.class = "burst"', 10, "One = does not compare.", "Write == to compare."],
	["job.critical and job.hasDeadline", 13, '"and" is not an operator.', "Write && between conditions."],
	["job.critical | job.hasDeadline", 13, "One | does not join conditions.", "Write || between conditions."],
	["job.gpus >", 10, "The condition ends too early.", "Add the missing value, quote or bracket at its end."],
	[
		"quote.costUsd > 5",
		0,
		"The quote is known only after a place is chosen; this condition can use only the job.",
		"Use quote.… in a rule with require: { approval: … }.",
	],
	['job.name.matches("(a+)+$")', 0, "matches() cannot be used in a policy.", "Use startsWith, endsWith or contains."],
	["sise(job.residency) > 1", 0, "There is no function sise().", "Did you mean size?"],
	[
		"job.residency.exists(r, job.residency.exists(s, r == s))",
		24,
		"exists() is nested in another loop, so each job would go through every combination.",
		"Split the condition into two rules.",
	],
	['job["gpus"] > 1', 0, "Read fields of job with a dot.", "Write for example job.name."],
	[
		"(job.critical ? job.gpus : 1) > 2",
		1,
		"The types do not match: Ternary branches must have the same type, got 'double' and 'int'.",
		"Write whole numbers with a decimal point here, for example 1.0.",
	],
	["", 0, "The condition is empty.", 'Omit "when" for a rule that always applies.'],
];

describe("an invalid condition", () => {
	it.each(WRONG)("%s", (expression, offset, message, fix) => {
		expect(checkExpression(expression, "job")).toEqual([{ severity: "error", offset, message, fix }]);
	});

	it.each([
		["too long", "x".repeat(POLICY_LIMITS.expressionCharacters + 1)],
		["too deep", `${"(".repeat(60)}true${")".repeat(60)}`],
		["too many terms", Array.from({ length: 450 }, () => "1").join("+")],
		["a loop that doubles a string", 'cel.bind(a, "x" + "x", cel.bind(b, a + a, b == a))'],
		["the machine's time zone", 'timestamp("2026-01-01T00:00:00Z").getHours("Europe/Paris") == 1'],
	])("is rejected: %s", (_what, expression) => {
		expect(checkExpression(expression, "job").map((p) => p.severity)).toContain("error");
	});

	it("names every unknown name, not only the first", () => {
		expect(checkExpression("job.gpsu > 1 && job.teem == 'x'", "job").map((p) => p.message)).toEqual([
			"job has no gpsu.",
			"job has no teem.",
		]);
	});
});

describe("reads that may find nothing", () => {
	const LABEL = "A job without the label tier gives this condition no result, so the stricter outcome applies.";
	it.each([
		['job.labels.tier == "gold"', [LABEL]],
		['job.labels["tier"] == "gold"', [LABEL]],
		['"tier" in job.labels && job.labels.tier == "gold"', []],
		['has(job.labels.tier) && job.labels.tier == "gold"', []],
	])("%s", (expression, want) => {
		expect(checkExpression(expression, "job").map((p) => p.message)).toEqual(want);
	});
});

/** A way to write a condition in YAML, and line and column of `gpsu` in it; the rule's first line is line 6. */
const WRITTEN: [how: string, when: string, line: number, column: number][] = [
	["plain", "job.gpsu > 4", 7, 17],
	["single quotes", "'job.gpsu > 4'", 7, 18],
	["doubled single quotes", "'job.team != ''x'' && job.gpsu > 4'", 7, 39],
	["double quotes with escapes", '"job.team != \\"x\\" && job.gpsu > 4"', 7, 39],
	["folded plain text", "job.critical &&\n        job.gpsu > 4", 8, 13],
	["a literal block", "|\n        job.critical &&\n          job.gpsu > 4", 9, 15],
	["a folded block", ">-\n        job.critical &&\n        job.gpsu > 4", 9, 13],
];

describe("the place of a problem inside a condition", () => {
	it.each(WRITTEN)("in %s", (_how, when, line, column) => {
		const text = rulesText(`id: a\n      when: ${when}\n      deny: { sites: [cloud] }`);
		expect(parsePolicy(text).problems).toMatchObject([{ severity: "error", line, column, message: "job has no gpsu." }]);
	});
});

describe("evaluation", () => {
	const job = new JobFacts(
		aJob({
			class: "experimental",
			nodes: 2,
			resources: { gpus: 4, accelerators: ["H100-80GB"], cpus: null, memoryGiB: null },
			data: [data(["eu"])],
			labels: { tier: "gold" },
		}),
	);

	it.each([
		["job.gpus == 8", true],
		["job.gpus == 8.0", true],
		["8 == job.gpus", true],
		["job.gpus != 8", false],
		["job.gpus > 7", true],
		["job.gpus > 7.5", true],
		["job.gpus <= 8", true],
		["job.gpus in [4, 8]", true],
		["job.gpus in [4.0, 8.0]", true],
		["job.gpus * 2 == 16", true],
		["100 - job.gpus > 91.5", true],
		["job.gpus / 3 > 2", true],
		["job.gpus % 3 == 2", true],
		["-job.gpus < 0", true],
		["job.gpusPerNode * job.nodes == job.gpus", true],
		["size(job.residency) == 1", true],
		["job.gpus > size(job.residency)", true],
		['"eu" in job.residency', true],
		['job.residency.all(r, r == "us")', false],
		['job.class == "experimental" && !job.critical', true],
		['job.class in ["burst", "experimental"]', true],
		['job.labels.tier == "gold"', true],
		['"H100-80GB" in job.accelerators', true],
		['job.project == ""', true],
		["job.estimateHours > 1000000", true],
		["job.hasEstimate", false],
		["true", true],
	])("%s is %s", (expression, want) => {
		expect(checkExpression(expression, "job").filter((p) => p.severity === "error")).toEqual([]);
		expect(evaluateExpression(expression, { job })).toEqual({ holds: want, error: null });
	});

	it.each([
		['job.labels.missing == "x"', "No such key: missing"],
		["1 / 0 == 1", "division by zero"],
		["quote.costUsd > 1.0", "Unknown variable: quote"],
		["job.gpsu > 1", "job has no gpsu."],
		["((", "The condition ends too early."],
	])("%s has no result", (expression, error) => {
		expect(evaluateExpression(expression, { job })).toEqual({ holds: null, error });
	});

	it("uses the maximum run time for a missing estimate, and infinity without a maximum; likewise for sizes", () => {
		const hours = (estimateMs: number | null, maxMs: number | null) =>
			new JobFacts(aJob({ duration: { estimateMs, maxMs } })).estimateHours;
		expect([hours(3_600_000, 7_200_000), hours(null, 7_200_000), hours(null, null)]).toEqual([1, 2, Number.POSITIVE_INFINITY]);
		expect(new JobFacts(aJob({ data: [data([], 5), data([], null)] })).dataGiB).toBe(Number.POSITIVE_INFINITY);
		expect(new JobFacts(aJob()).dataGiB).toBe(0);
	});
});
