import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "#server/kernel/testing/deep.ts";
import { checkExpression } from "./check-expression.ts";
import { completePolicy } from "./complete.ts";
import { describePolicy } from "./describe-rule.ts";
import { evaluateExpression } from "./expression.ts";
import { JobFacts } from "./job-facts.ts";
import { judgeJob } from "./judge-job.ts";
import { judgePlace } from "./judge-place.ts";
import { POLICY_LIMITS } from "./limits.ts";
import { mergePolicies } from "./merge-policies.ts";
import { parsePolicy, parseStoredPolicy } from "./parse-policy.ts";
import { aJob, anOffer, data } from "./testing/builders.ts";
import { cel } from "./testing/expressions.ts";
import { filled, HARD, RUNS } from "./testing/hard-texts.ts";
import { MEASURES, type ParsePolicyOptions } from "./types.ts";

const FOLDER = new URL("../../examples/policies/", import.meta.url);
const REAL = readdirSync(FOLDER).map((file) => readFileSync(new URL(file, FOLDER), "utf8"));
const KNOWN: ParsePolicyOptions = {
	siteIds: ["home", "aws-main"],
	teams: ["risk", "vision"],
	places: [anOffer()],
	instanceTypes: [anOffer()],
	measures: MEASURES,
};
const JOBS = [
	aJob(),
	aJob({ class: "sensitive", deadlineMs: 1, checkpoint: { path: "/c", intervalMs: 1 }, data: [data(["eu"], null)] }),
	aJob({ nodes: 512, labels: { tier: "gold", pipeline: "retrain" }, duration: { estimateMs: 60_000, maxMs: 90_000_000 } }),
];

/** For any text, the result can be displayed, and an accepted text can be used. */
function answers(text: string): void {
	const { policy, problems } = parsePolicy(text, KNOWN);
	expect(policy === null).toBe(problems.some((p) => p.severity === "error"));
	expect(problems.length).toBeLessThanOrEqual(POLICY_LIMITS.problems);
	const lines = text.split("\n");
	for (const { line, column, message, fix } of problems) {
		expect(line).toBeGreaterThanOrEqual(1);
		expect(line).toBeLessThanOrEqual(lines.length);
		expect(column).toBeGreaterThanOrEqual(1);
		expect(message.length + (fix?.length ?? 0)).toBeLessThan(2_000);
	}
	if (!policy) return;
	describePolicy(policy);
	for (const job of JOBS) judgePlace(judgeJob(policy, job), anOffer());
	expect(parseStoredPolicy(text).policy, "what was accepted can be read again").not.toBeNull();
}

/** Values used in place of the expected kind. */
const value = fc.oneof(
	fc.constantFrom(
		...["null", "~", "true", "no", "[]", "{}", "''", '""', "-1", "-0", "0x1F", "0o17", "1e400", ".inf", ".nan", "1_000", "2026-01-01"],
		...["&a x", "*a", "!!binary aGk=", "!!set {a, b}", "!!float 1", "!x y", "<<", "{<<: *a}", "? a : b", "- a", ">\n  a", "|\n  a"],
		...["\u0000", "\ufeff", "\u2028", "\ud83d", "__proto__", "constructor", "{__proto__: {a: 1}}", "$", "a: b: c", "@", "`", "%"],
	),
	fc.bigInt().map(String),
	fc.double().map(String),
	fc.string({ unit: "binary", maxLength: 12 }),
	fc.integer({ min: 1, max: 3_000 }).map((n) => "9".repeat(n)),
	fc.integer({ min: 1, max: 400 }).map((n) => "[".repeat(n)),
	fc.integer({ min: 1, max: 400 }).map((n) => `${"{a: ".repeat(n)}1${"}".repeat(n)}`),
);

/** A real policy with lines removed, duplicated or moved, and with changed values. */
const edit = fc.record({ kind: fc.constantFrom("drop", "double", "move", "value", "indent"), at: fc.nat(), to: fc.nat(), value });
const mutated = fc.tuple(fc.constantFrom(...REAL), fc.array(edit, { minLength: 1, maxLength: 5 })).map(([text, edits]) => {
	const lines = text.split("\n");
	for (const { kind, at, to, value: other } of edits) {
		const i = at % lines.length;
		const line = lines[i] ?? "";
		if (kind === "drop") lines.splice(i, 1);
		if (kind === "double") lines.splice(i, 0, line);
		if (kind === "move") lines.splice(to % lines.length, 0, ...lines.splice(i, 1));
		if (kind === "indent") lines[i] = `${" ".repeat(to % 5)}${line}`;
		if (kind === "value") lines[i] = line.replace(/: [^:]*$/, () => `: ${other}`);
	}
	return lines.join("\n");
});

describe("a policy text", () => {
	it("of any bytes gives a result", () => {
		const bytes = fc.uint8Array({ maxLength: 400 });
		fc.assert(
			fc.property(bytes, fc.constantFrom("utf-8", "latin1", "utf-16le"), (given, encoding) =>
				answers(new TextDecoder(encoding).decode(given)),
			),
			{ numRuns: cases(80, 400) },
		);
	});

	it("mutated from a real policy gives a result, and an accepted one can decide", () => {
		fc.assert(fc.property(mutated, answers), { numRuns: cases(60, 300) });
	});
});

describe("an adversarial policy", () => {
	it.each(HARD)("is answered: %s", (_, text, known) => {
		expect(text.length).toBeLessThanOrEqual(POLICY_LIMITS.documentCharacters);
		const { policy, problems } = parsePolicy(text, known);
		expect(policy === null).toBe(problems.some((p) => p.severity === "error"));
		expect(problems.filter(({ message }) => /cannot be read|must be|at most/.test(message))).toEqual([]);
	});
});

describe("a repetitive text", () => {
	it.each(RUNS)("%j is parsed, completed and merged", (run) => {
		for (const text of filled(run)) {
			const { policy, problems } = parsePolicy(text);
			expect(policy === null).toBe(problems.some((p) => p.severity === "error"));
			for (const offset of [text.length, text.length >> 1]) {
				const { from, items } = completePolicy(text, offset, {
					siteIds: ["home"],
					teams: ["risk"],
					places: [],
					instanceTypes: [anOffer()],
				});
				expect(from).toBeLessThanOrEqual(offset);
				expect(items.length).toBeLessThanOrEqual(200);
			}
			const { text: merged, conflicts } = mergePolicies({ base: text, mine: `${text}\na: 1`, theirs: `b: 2\n${text}` });
			expect(merged.length + conflicts.length).toBeGreaterThan(0);
		}
	});
});

describe("a condition", () => {
	it("that fits the grammar and the types is evaluated deterministically, or reports why it cannot be", () => {
		let accepted = 0;
		fc.assert(
			fc.property(cel, fc.constantFrom(...JOBS), (text, spec) => {
				if (checkExpression(text, "job").some((p) => p.severity === "error")) return;
				accepted++;
				const first = evaluateExpression(text, { job: new JobFacts(spec) });
				expect(first.holds === null).toBe(first.error !== null);
				expect(first.error?.length ?? 0).toBeLessThanOrEqual(200);
				expect(evaluateExpression(text, { job: new JobFacts(spec) })).toEqual(first);
			}),
			{ numRuns: cases(300, 1_500) },
		);
		expect(accepted, "most of what is drawn is a condition").toBeGreaterThan(cases(140, 700));
	});
});
