import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Policy } from "#server/domain/policy.ts";
import { diffPolicies } from "./diff-policies.ts";
import { parsePolicy } from "./parse-policy.ts";

const RULES = {
	a: '- { id: a, when: job.class == "sensitive", deny: { sites: [cloud] } }',
	b: "- { id: b, burst: { after: { forecastWait: 30m } } }",
	c: "- { id: c, limit: { instanceHours: 24 } }",
	d: '- { id: d, when: job.class == "experimental", require: { capacityType: spot } }',
} as const;

function policy(rules: readonly string[], rest = ""): Policy {
	const text = `apiVersion: spillway/v1\nkind: Policy\nmetadata: { name: default }\nspec:\n  rules:\n${rules.map((r) => `    ${r}\n`).join("")}${rest}`;
	const { policy: parsed, problems } = parsePolicy(text);
	if (!parsed) throw new Error(JSON.stringify(problems));
	return parsed;
}
const said = (before: Policy, after: Policy) => diffPolicies(before, after).map((c) => `${c.kind} ${c.id}`);
const text = (side: { sentence: { text: string }[] } | null | undefined) => side?.sentence.map((s) => s.text).join("");

describe("diffPolicies", () => {
	it("ignores spacing, comments and the order of fields", () => {
		const other = "- id: a\n      # said otherwise\n      deny: { sites: [cloud] }\n      when:  'job.class == \"sensitive\"'";
		expect(said(policy([RULES.a, RULES.b]), policy([other, RULES.b]))).toEqual([]);
	});

	it("shows the weight of work as a change of the order, not of the costs", () => {
		const costs = policy([RULES.b], "  weights: { delayUsdPerHour: 5 }\n");
		const small = policy([RULES.b], "  weights: { delayUsdPerHour: 5, pointsPerGpuHour: 0.5 }\n");
		const changes = diffPolicies(costs, small);
		expect(changes.map((c) => `${c.kind} ${c.id}`)).toEqual(["added order"]);
		expect(text(changes[0]?.after)).toBe(
			"Smaller jobs come first in the queue: each GPU-hour of expected work counts as 0.5 hours less of waiting.",
		);
		expect(said(small, costs)).toEqual(["removed order"]);
	});

	it("names additions, changes and removals, with both sentences", () => {
		const before = policy(
			[RULES.a, RULES.b],
			'  budgets:\n    - { id: month, scope: "true", period: month, capUsd: 50000, atCap: hold }\n',
		);
		const after = policy(
			[RULES.c, RULES.b.replace("30m", "45m")],
			'  budgets:\n    - { id: month, scope: "true", period: month, capUsd: 60000, atCap: hold }\n',
		);
		const changes = diffPolicies(before, after);
		expect(changes.map((c) => `${c.kind} ${c.id}`)).toEqual(["added c", "changed b", "changed month", "removed a"]);
		expect(text(changes[1]?.before)).toContain("30");
		expect(text(changes[1]?.after)).toContain("45");
		expect(text(changes[2]?.before)).toContain("$50,000");
		expect(text(changes[2]?.after)).toContain("$60,000");
		expect(changes[0]?.before).toBeNull();
		expect(changes[3]?.after).toBeNull();
	});

	it("reports the fewest moved rules: a b c d to b c d a is one", () => {
		expect(said(policy([RULES.a, RULES.b, RULES.c, RULES.d]), policy([RULES.b, RULES.c, RULES.d, RULES.a]))).toEqual(["moved a"]);
	});

	it("distinguishes a rule and a budget with the same name", () => {
		const budgets = '  budgets:\n    - { id: b, scope: "true", period: month, capUsd: 5, atCap: hold }\n';
		expect(said(policy([RULES.b], budgets), policy([RULES.b]))).toEqual(["removed b"]);
	});

	it("is empty for a policy and itself, and reports only the moves that any order requires", () => {
		const all = Object.values(RULES);
		fc.assert(
			fc.property(fc.shuffledSubarray(all, { minLength: 1 }), fc.shuffledSubarray(all, { minLength: 1 }), (one, two) => {
				expect(said(policy(one), policy(one))).toEqual([]);
				const changes = diffPolicies(policy(one), policy(two));
				const count = (kind: string) => changes.filter((c) => c.kind === kind).length;
				expect(count("added")).toBe(two.filter((r) => !one.includes(r)).length);
				expect(count("removed")).toBe(one.filter((r) => !two.includes(r)).length);
				expect(count("moved")).toBe(fewestMoves(one, two));
			}),
		);
	});
});

/** By brute force over subsets: the common entries minus the longest subset that keeps its order. */
function fewestMoves(one: readonly string[], two: readonly string[]): number {
	const common = one.filter((r) => two.includes(r));
	let longest = 0;
	for (let mask = 0; mask < 1 << common.length; mask++) {
		const kept = common.filter((_, i) => mask & (1 << i));
		const places = kept.map((r) => two.indexOf(r));
		if (places.every((p, i) => i === 0 || p > (places[i - 1] ?? 0))) longest = Math.max(longest, kept.length);
	}
	return common.length - longest;
}
