import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { diffLines } from "./diff-lines.ts";
import { mergePolicies } from "./merge-policies.ts";
import { partsOf } from "./policy-parts.ts";

const RULES = {
	a: ["    # why a is there", "    - id: a", "      burst: { after: { forecastWait: 10s } }"],
	b: ["    - id: b", "      when: job.gpus > 4", "      limit: { instanceHours: 2 }", ""],
	c: ["    - { id: c, deny: { sites: [aws] } }"],
};
const HEAD = ["apiVersion: spillway/v1", "kind: Policy", "metadata: { name: default }", "spec:", "  rules:"];
const TAIL = ["  budgets:", "    - { id: month, period: month, capUsd: 100 } # a cap", "  weights: { delayUsdPerHour: 5 }"];
const text = (rules: string[][], tail = TAIL): string => `${[...HEAD, ...rules.flat(), ...tail].join("\n")}\n`;
const BASE = text([RULES.a, RULES.b, RULES.c]);
const changed = (rule: string[], from: string, to: string) => rule.map((line) => line.replace(from, to));

describe("partsOf", () => {
	it("concatenate to the whole text, with the comments of each rule", () => {
		const parts = partsOf(BASE.trimEnd().split("\n")) ?? [];
		expect(parts.map((p) => p.key)).toEqual(["before:rules", "rule:a", "rule:b", "rule:c", "before:budgets", "budget:month", "end"]);
		expect(`${parts.flatMap((p) => p.lines).join("\n")}\n`).toBe(BASE);
		expect(parts[1]?.lines).toEqual(RULES.a);
	});

	it("leave texts alone that are not in block style, have no ids, or repeat one", () => {
		for (const wrong of [
			"spec: { rules: [{ id: a }, { id: b }] }",
			"spec:\n  rules:\n    - x: 1",
			"spec:\n  rules:\n    - id: a\n    - id: a",
			"a: [",
		])
			expect(partsOf(wrong.split("\n"))).toBeNull();
	});
});

describe("mergePolicies", () => {
	it("takes changes to different rules, a comment on another rule and a new cap", () => {
		const mine = text([changed(RULES.a, "10s", "20s"), RULES.b, RULES.c]);
		const theirs = text(
			[RULES.a, changed(RULES.b, "2", "9"), RULES.c],
			[...TAIL.slice(0, 1), "    - { id: month, period: month, capUsd: 250 } # more", ...TAIL.slice(2)],
		);
		const { text: merged, conflicts } = mergePolicies({ base: BASE, mine, theirs });
		expect(conflicts).toEqual([]);
		expect(merged).toBe(theirs.replace("10s", "20s"));
	});

	it("keeps additions and removals of both sides", () => {
		const d = ["    - { id: d, limit: { instanceHours: 1 } }"];
		const e = ["    # mine", "    - { id: e, limit: { instanceHours: 5 } }"];
		const mine = text([RULES.a, RULES.b, RULES.c, e]);
		const theirs = text([RULES.b, RULES.c, d]);
		expect(mergePolicies({ base: BASE, mine, theirs })).toEqual({ text: text([RULES.b, RULES.c, d, e]), conflicts: [] });
	});

	it("reports a rule that both sides changed, with all three texts; the version in force stays until a person chooses", () => {
		const mine = text([changed(RULES.a, "10s", "20s"), RULES.b, RULES.c]);
		const theirs = text([changed(RULES.a, "10s", "5m"), RULES.b]);
		const merged = mergePolicies({ base: BASE, mine, theirs });
		expect(merged.text).toBe(theirs);
		expect(merged.conflicts).toMatchObject([{ key: "rule:a", kind: "rule", id: "a", base: RULES.a.join("\n") }]);
		expect(merged.conflicts[0]?.message).toBe("Rule a was changed here and changed in the published policy.");
		const chosen = mergePolicies({ base: BASE, mine, theirs }, { "rule:a": "mine" });
		expect(chosen).toEqual({ text: text([changed(RULES.a, "10s", "20s"), RULES.b]), conflicts: [] });
	});

	it("reports a rule that one side changed and the other removed", () => {
		const mine = text([RULES.a, changed(RULES.b, "2", "3"), RULES.c]);
		const theirs = text([RULES.a, RULES.c]);
		expect(mergePolicies({ base: BASE, mine, theirs }).conflicts).toMatchObject([{ key: "rule:b", theirs: null }]);
	});

	it("takes the order of the side that moved something, and reports when both did", () => {
		const mine = text([RULES.c, RULES.a, RULES.b]);
		const changedB = changed(RULES.b, "2", "3");
		expect(mergePolicies({ base: BASE, mine, theirs: text([RULES.a, changedB, RULES.c]) }).text).toBe(text([RULES.c, RULES.a, changedB]));
		const both = mergePolicies({ base: BASE, mine, theirs: text([RULES.b, RULES.a, RULES.c]) });
		expect(both.conflicts).toMatchObject([{ key: "order", mine: expect.stringMatching(/rule:c\nrule:a\nrule:b/) }]);
	});

	it("does not combine entries with different indentation", () => {
		const mine = text([RULES.a, RULES.b, RULES.c, ["  - { id: e, limit: { instanceHours: 5 } }"]]);
		const theirs = text([RULES.a, RULES.b, changed(RULES.c, "aws", "gcp")]);
		// My version is not valid YAML.
		const merged = mergePolicies({ base: BASE, mine, theirs });
		expect(merged.text).toBe(theirs);
		expect(merged.conflicts).toMatchObject([{ key: "text" }]);
	});

	it("loses nothing: over random edits of both sides, every rule is from the side that changed it", () => {
		const ids = ["a", "b", "c", "d", "e", "f"];
		const side = fc.record({ values: fc.tuple(...ids.map(() => fc.integer({ min: 0, max: 3 }))) });
		const write = (values: readonly number[]) =>
			text(ids.flatMap((id, i) => (values[i] ? [[`    - id: ${id}`, `      limit: { instanceHours: ${values[i]} }`]] : [])));
		const read = (source: string): Map<string, number> => {
			const rules = (parse(source) as { spec: { rules: { id: string; limit: { instanceHours: number } }[] | null } }).spec.rules ?? [];
			return new Map(rules.map((r) => [r.id, r.limit.instanceHours]));
		};
		fc.assert(
			fc.property(side, side, side, (b, m, t) => {
				const [base, mine, theirs] = [write(b.values), write(m.values), write(t.values)];
				const merged = mergePolicies({ base, mine, theirs });
				if (merged.conflicts.some((c) => c.key === "text")) return;
				const rules = read(merged.text);
				for (const [i, id] of ids.entries()) {
					const [was, here, there] = [b.values[i] ?? 0, m.values[i] ?? 0, t.values[i] ?? 0];
					const conflict = here !== was && there !== was && here !== there;
					expect(merged.conflicts.some((c) => c.key === `rule:${id}`)).toBe(conflict);
					expect(rules.get(id) ?? 0).toBe(conflict || here === was ? there : here);
				}
			}),
			{ numRuns: 200 },
		);
	});

	it("gives a result for any three texts", () => {
		const any = fc.oneof(fc.string({ maxLength: 80 }), fc.constantFrom(BASE, text([]), "", "\r\n", BASE.replaceAll("\n", "\r\n")));
		fc.assert(
			fc.property(any, any, any, (base, mine, theirs) => {
				const { text: merged, conflicts } = mergePolicies({ base, mine, theirs });
				expect(typeof merged).toBe("string");
				if (mine === base) expect(merged).toBe(theirs);
				expect(new Set(conflicts.map((c) => c.key)).size).toBe(conflicts.length);
			}),
		);
	});
});

describe("diffLines", () => {
	it("turns the older text into the newer, with a minimal diff", () => {
		const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 });
		fc.assert(
			fc.property(lines, lines, (before, after) => {
				const runs = diffLines(before.map((l) => `${l}\n`).join(""), after.map((l) => `${l}\n`).join(""));
				expect(runs.flatMap((r) => (r.kind === "added" ? [] : r.lines))).toEqual(before);
				expect(runs.flatMap((r) => (r.kind === "removed" ? [] : r.lines))).toEqual(after);
				const kept = runs.flatMap((r) => (r.kind === "same" ? r.lines : [])).length;
				expect(kept).toBe(longestCommon(before, after));
				for (const { oldLine, newLine, kind, lines: of } of runs) {
					if (kind !== "added") expect(before.slice(oldLine - 1, oldLine - 1 + of.length)).toEqual(of);
					if (kind !== "removed") expect(after.slice(newLine - 1, newLine - 1 + of.length)).toEqual(of);
				}
			}),
			{ numRuns: 300 },
		);
	});

	it("handles texts with little in common without comparing every pair", () => {
		const before = Array.from({ length: 5_000 }, (_, i) => `old ${i}`).join("\n");
		const after = Array.from({ length: 5_000 }, (_, i) => `new ${i}`).join("\n");
		expect(diffLines(before, after).map((r) => [r.kind, r.lines.length])).toEqual([
			["removed", 5_000],
			["added", 5_000],
		]);
	});
});

function longestCommon(a: readonly string[], b: readonly string[]): number {
	let row = b.map(() => 0);
	for (const x of a) {
		const next: number[] = [];
		for (const [j, y] of b.entries()) next.push(x === y ? (row[j - 1] ?? 0) + 1 : Math.max(next[j - 1] ?? 0, row[j] ?? 0));
		row = next;
	}
	return row.at(-1) ?? 0;
}
