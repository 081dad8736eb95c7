import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "#server/kernel/testing/deep.ts";
import { checkExpression } from "./check-expression.ts";
import { evaluateExpression } from "./expression.ts";
import { expressionSteps } from "./expression-cost.ts";
import { JobFacts } from "./job-facts.ts";
import { EXPRESSION_STEPS } from "./limits.ts";
import { parsePolicy } from "./parse-policy.ts";
import { aJob, rulesText } from "./testing/builders.ts";

const DATA = Array.from({ length: 64 }, (_, i) => ({
	...{ uri: `s3://b/${i}`, sizeGiB: 1, mount: `/${i}` },
	residency: Array.from({ length: 16 }, (_, j) => `${"abcdefghijklmnop"[j]}${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}`),
}));

/** The largest possible job; every read of an entry of its lists and labels is counted. */
function counted(): { job: JobFacts; reads: () => number } {
	let reads = 0;
	const watch = <T extends object>(value: T): T =>
		new Proxy(value, {
			get(target, key, self) {
				if (typeof key === "string" && (/^\d+$/.test(key) || !Array.isArray(target))) reads++;
				return Reflect.get(target, key, self);
			},
		});
	const accelerators = Array.from({ length: 32 }, (_, i) => `MODEL-${i}`);
	const labels = Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`label-${i}`, "x".repeat(200)]));
	const facts = new JobFacts(aJob({ labels }));
	const residency = DATA.flatMap((d) => d.residency);
	const job = Object.assign(Object.create(JobFacts.prototype), facts, {
		...{ residency: watch(residency), accelerators: watch(accelerators), labels: watch(labels) },
	}) as JobFacts;
	return { job, reads: () => reads };
}

const list = fc.constantFrom("job.residency", "job.accelerators", "job.labels", '["a", "b"]', "(job.residency + job.accelerators)");
const test = fc.constantFrom(
	'x == "eu"',
	'x.startsWith("a")',
	"size(x) > 3",
	"true",
	'!(x in ["a", "b", "c"])',
	"x in job.residency",
	'x + x == "aa"',
);
const loop = fc.tuple(list, fc.constantFrom("exists", "all", "exists_one", "filter"), test).map(([of, how, what]) => {
	const text = `${of}.${how}(x, ${what})`;
	return how === "filter" ? `size(${text}) > 2` : text;
});
const leaf = fc.oneof(loop, fc.constantFrom("job.gpus > 4", 'job.name.contains("a")', '"eu" in job.residency', "job.labels == job.labels"));
const expression = fc
	.array(fc.tuple(leaf, fc.constantFrom(" && ", " || ")), { minLength: 1, maxLength: 5 })
	.map((parts) => parts.map(([text, joint], i) => (i === 0 ? text : joint + text)).join(""));

describe("expressionSteps", () => {
	it("is at least the number of entries read when evaluating on the largest job", () => {
		const runs = cases(100, 300);
		let evaluated = 0;
		fc.assert(
			fc.property(expression, (text) => {
				if (checkExpression(text, "job").some((p) => p.severity === "error")) return;
				const { job, reads } = counted();
				if (evaluateExpression(text, { job }).error === null) evaluated++;
				expect(reads(), text).toBeLessThanOrEqual(expressionSteps(text));
			}),
			{ numRuns: runs },
		);
		expect(evaluated).toBeGreaterThan(runs / 3);
	});

	it("is small for typical conditions", () => {
		for (const text of [
			"job.gpus > 4",
			'job.residency.exists(r, r == "eu" || r == "us")',
			'"tier" in job.labels && job.labels.tier == "gold"',
		])
			expect(expressionSteps(text), text).toBeLessThan(EXPRESSION_STEPS.one / 5);
	});

	it("is 0 for any unreadable text", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary", maxLength: 80 }), (text) => void expect(expressionSteps(text)).toBeGreaterThanOrEqual(0)),
		);
		expect(expressionSteps("job.gpus >")).toBe(0);
	});
});

describe("a policy with a condition that can be slow", () => {
	const joined = Array.from({ length: 40 }, () => "job.residency").join(" + ");
	const slow = `(${joined}).exists(r, r == "eu" && r != "us")`;

	it("is rejected at its position, with a fix", () => {
		const { policy, problems } = parsePolicy(
			rulesText(`{ id: a, when: '${slow}', limit: { instanceHours: 2 } }`, "{ id: b, burst: { always: true } }"),
		);
		expect(policy).toBeNull();
		const error = problems.find((p) => p.severity === "error");
		expect(error?.message).toMatch(/^This condition of a can take \d+ steps for one job; at most 100000 are allowed\.$/);
		expect(error).toMatchObject({ line: 6, fix: "Go through one list at a time, and split the condition into several rules." });
	});

	it("is rejected for the total cost of its conditions", () => {
		const one = `job.residency.exists(r, ${Array.from({ length: 10 }, (_, i) => `r == "x${i}"`).join(" || ")})`;
		const rules = Array.from(
			{ length: 60 },
			(_, i) => `{ id: r${i}, when: '${one} && job.gpus > ${i}', limit: { instanceHours: ${i + 1} } }`,
		);
		const { problems } = parsePolicy(rulesText(...rules));
		expect(problems.filter((p) => /^All conditions up to r\d+ can take/.test(p.message))).toHaveLength(1);
	});
});

describe("adversarial texts", () => {
	it("are rejected with errors that have a position", () => {
		const many = (text: string, length: number) => text.repeat(length);
		const or = Array.from({ length: 30 }, (_, i) => `(job.gpus > ${i} || job.priority < ${i})`).join(" && ");
		const texts = [
			...[many("[", 60_000), many("{a: ", 15_000), many("- ", 30_000), many("? ", 30_000), many("&a ", 20_000), many("!x ", 20_000)],
			...[many("a:\n ", 15_000), many('"', 60_000), many("|\n", 30_000), `a: &x [${many("*x,", 20_000)}]`, many("\t", 60_000)],
			rulesText(`{ id: a, when: '${many("(", 450)}', burst: { always: true } }`),
			rulesText(`{ id: a, when: '${many("!", 900)}true', burst: { always: true } }`),
			rulesText(`{ id: a, when: '${many("job.name.", 100)}', burst: { always: true } }`),
			rulesText(
				...Array.from(
					{ length: 60 },
					(_, i) => `{ id: r${i}, when: '${or.slice(0, 900).replace(/ && \([^)]*$/, "")}', deny: { sites: [aws] } }`,
				),
			),
		];
		for (const text of texts) {
			const { policy, problems } = parsePolicy(text);
			expect(policy === null, text.slice(0, 40)).toBe(problems.some((p) => p.severity === "error"));
			for (const { line, column } of problems) expect(Math.min(line, column)).toBeGreaterThanOrEqual(1);
		}
	});
});
