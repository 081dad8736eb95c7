import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { addEntry, duplicateEntry, moveEntry, outlineOf, removeEntry } from "#server/domain/policy-entries.ts";
import { editField, type FieldPath, type FieldValue } from "./edit-field.ts";

type Rule = Record<string, unknown> & { id: string };
type Doc = { spec: { rules: Rule[]; budgets?: Rule[]; weights?: Record<string, unknown> } };
const read = (text: string): Doc => parse(text) as Doc;

const TEXT = `# The head.
apiVersion: spillway/v1
kind: Policy
metadata: { name: default } # its name
spec:
  rules:
    # stays at home
    - id: a   # the first
      when: job.class == "sensitive"
      deny: { sites: [cloud] }

    # two
    # lines
    - { id: b, burst: { after: { forecastWait: 10s } } } # on one line
    -
      id: c
      allow:
        regions:
          - "aws:eu-*"  # Europe
          - gcp:europe-*
      when: >-
        job.gpus > 4 &&
        # no comment in here
        job.critical

    - id: d
      limit: { instanceHours: 24 }
      # deeper, so of d
  budgets: [] # none yet
  weights: { delayUsdPerHour: 5, carbonUsdPerTonne: 80 }
`;

/** Entries in various layouts, with comments and blank lines. */
const rule = fc
	.record({
		effect: fc.constantFrom(
			["deny: { sites: [cloud] }", "deny:|  sites:|    - cloud|    - aws # why"],
			["burst: { after: { forecastWait: 30m }, or: { waited: 5m } }", "burst:|  after: { forecastWait: 30m }|  # or|  or:|    waited: 5m"],
			["limit: { instanceHours: 8 }", "limit:|  instanceHours: 8"],
		),
		block: fc.boolean(),
		when: fc.option(fc.constantFrom('job.team == "risk"', "job.gpus > 4"), { nil: null }),
		comment: fc.constantFrom([], ["# above"], ["# two", "# lines"]),
		gap: fc.nat(2),
		behind: fc.constantFrom("", "  # behind"),
	})
	.map(({ effect, block, when, comment, gap, behind }, index = 0) => ({ effect, block, when, comment, gap, behind, index }));

const policy = fc
	.record({
		rules: fc.array(rule, { minLength: 1, maxLength: 5 }),
		eol: fc.constantFrom("\n", "\r\n"),
		tail: fc.constantFrom("", "\n", "\n\n"),
	})
	.map(({ rules, eol, tail }) => {
		const entries = rules.map((r, i) => {
			const flow = `- { id: r${i}, ${r.when ? `when: ${JSON.stringify(r.when)}, ` : ""}${r.effect[0]} }${r.behind}`;
			const block = [
				`- id: r${i}${r.behind}`,
				...(r.when ? [`  when: ${r.when}`] : []),
				...(r.effect[1] ?? "").split("|").map((l) => `  ${l}`),
			];
			const lines = [...r.comment, ...(r.block ? block : [flow])];
			return [...Array.from({ length: i === 0 ? 0 : r.gap }, () => ""), ...lines.map((l) => `    ${l}`)];
		});
		const head = ["apiVersion: spillway/v1", "kind: Policy", "metadata: { name: default }", "spec:", "  rules:"];
		return [...head, ...entries.flat(), "  # the money", "  weights: { delayUsdPerHour: 5 }"].join(eol) + tail;
	});

const lineSet = (text: string) => text.split("\n").map((l) => l.replace(/\r$/, ""));
/** Every line of one occurs in the other, in order. */
function isWithin(few: readonly string[], many: readonly string[]): boolean {
	let at = 0;
	for (const line of many) if (at < few.length && few[at] === line) at++;
	return at === few.length;
}

describe("rule lists", () => {
	it("finds every entry with its lines", () => {
		expect(outlineOf(TEXT)?.rules.map(({ id, lines }) => [id, lines.from, lines.to])).toEqual([
			["a", 8, 10],
			["b", 14, 14],
			["c", 15, 24],
			["d", 26, 28],
		]);
	});

	it("removes an entry with its own comments and no other line", () => {
		const text = removeEntry(TEXT, "rules", 1) ?? "";
		expect(read(text).spec.rules.map((r) => r.id)).toEqual(["a", "c", "d"]);
		expect(text).not.toContain("two");
		expect(text.split("\n")).toHaveLength(TEXT.split("\n").length - 3);
	});

	it("moves an entry with its comments", () => {
		const text = moveEntry(TEXT, "rules", 0, 1) ?? "";
		expect(read(text).spec.rules.map((r) => r.id)).toEqual(["b", "a", "c", "d"]);
		expect(text).toContain('# stays at home\n    - id: a   # the first\n      when: job.class == "sensitive"');
		expect(moveEntry(text, "rules", 1, -1)).toBe(TEXT);
		expect(moveEntry(TEXT, "rules", 0, -1)).toBeNull();
	});

	it("appends to an empty, flow or missing list", () => {
		const budget = '{ id: m, scope: "true", period: month, capUsd: 5 }';
		const text = addEntry(TEXT, "budgets", budget) ?? "";
		expect(text).toContain(`  budgets: # none yet\n    - ${budget}\n  weights`);
		const bare = "spec:\n  rules:\n  weights: { a: 1 }";
		expect(addEntry(bare, "rules", "id: x\ndeny: { sites: [cloud] }")).toBe(
			"spec:\n  rules:\n    - id: x\n      deny: { sites: [cloud] }\n  weights: { a: 1 }",
		);
		expect(addEntry(bare, "budgets", "{ id: m }")).toBe(`${bare}\n  budgets:\n    - { id: m }`);
		const inBrackets = "spec:\n  rules: [{ id: a }, { id: b }]\n";
		expect(addEntry(inBrackets, "rules", "{ id: c }")).toBe("spec:\n  rules:\n    - { id: a }\n    - { id: b }\n    - { id: c }\n");
	});

	it("empties a list and appends again", () => {
		const one = "spec:\n  rules: # all\n    # x\n    - id: a\n  weights: {}\n";
		const none = removeEntry(one, "rules", 0) ?? "";
		expect(none).toBe("spec:\n  rules: [] # all\n  weights: {}\n");
		expect(addEntry(none, "rules", "{ id: b }")).toBe("spec:\n  rules: # all\n    - { id: b }\n  weights: {}\n");
	});

	it("returns null for invalid YAML", () => {
		const broken = "spec: [\n";
		for (const result of [
			outlineOf(broken),
			removeEntry(broken, "rules", 0),
			addEntry(broken, "rules", "{ id: x }"),
			editField(broken, ["spec"], 1),
		])
			expect(result).toBeNull();
	});

	it("keeps all other lines byte-identical and yields the edited policy", () => {
		fc.assert(
			fc.property(policy, fc.nat(), fc.constantFrom("remove", "up", "down", "duplicate", "add"), (text, n, verb) => {
				const before = read(text).spec.rules;
				const index = n % before.length;
				const rules = structuredClone(before);
				let edited: string | null;
				if (verb === "remove") {
					edited = removeEntry(text, "rules", index);
					rules.splice(index, 1);
					expect(
						isWithin(
							lineSet(edited ?? "").filter((l) => !l.includes("rules:")),
							lineSet(text),
						),
					).toBe(true);
				} else if (verb === "duplicate") {
					edited = duplicateEntry(text, "rules", index);
					const own = before[index];
					if (own) rules.splice(index + 1, 0, { ...own, id: `${own.id}-2` });
					expect(isWithin(lineSet(text), lineSet(edited ?? ""))).toBe(true);
				} else if (verb === "add") {
					edited = addEntry(text, "rules", "id: new\ndeny: { sites: [cloud] }");
					rules.push({ id: "new", deny: { sites: ["cloud"] } });
					expect(isWithin(lineSet(text), lineSet(edited ?? ""))).toBe(true);
				} else {
					const by = verb === "up" ? -1 : 1;
					edited = moveEntry(text, "rules", index, by);
					const [one, other] = [rules[index], rules[index + by]];
					if (!one || !other) {
						expect(edited).toBeNull();
						return;
					}
					[rules[index], rules[index + by]] = [other, one];
					expect(lineSet(edited ?? "").sort()).toEqual(lineSet(text).sort());
				}
				const after = read(edited ?? "");
				expect(after.spec).toEqual({ ...read(text).spec, rules });
			}),
			{ numRuns: 150 },
		);
	});
});

const EDITS: [FieldPath, FieldValue | undefined][] = [
	[["id"], "renamed"],
	[["when"], 'job.team == "vision" && "eu" in job.residency'],
	[["when"], undefined],
	[
		["deny", "sites"],
		["cloud", "home", "aws"],
	],
	[
		["deny", "regions"],
		["aws:eu-*", "azure:westeurope"],
	],
	[["burst", "after", "forecastWait"], "1h30m"],
	[["burst", "or", "deadlineSlack"], "2h"],
	[["burst", "or", "waited"], undefined],
	[["burst", "only", "costAtMostUsd"], 12.5],
	[["limit", "instanceHours"], 0.5],
	[["limit", "gpuUtilisationBelow", "percent"], 5],
];

describe("editField", () => {
	it("changes, adds and removes single values in place", () => {
		const of = (index: number, path: FieldPath, value: FieldValue | undefined) =>
			editField(TEXT, ["spec", "rules", index, ...path], value) ?? "";
		expect(of(0, ["deny", "sites"], ["cloud", "aws"])).toBe(TEXT.replace("deny: { sites: [cloud] }", "deny: { sites: [cloud, aws] }"));
		expect(of(0, ["when"], undefined)).toBe(TEXT.replace('      when: job.class == "sensitive"\n', ""));
		expect(of(1, ["when"], "job.critical")).toBe(TEXT.replace("10s } } }", "10s } }, when: job.critical }"));
		expect(of(2, ["allow", "regions"], ["aws:eu-*", "azure:westeurope"])).toBe(TEXT.replace("- gcp:europe-*", "- azure:westeurope"));
		expect(of(3, ["when"], "job.gpus > 4")).toBe(TEXT.replace("- id: d\n", "- id: d\n      when: job.gpus > 4\n"));
		expect(editField(TEXT, ["spec", "weights", "carbonUsdPerTonne"], 120)).toBe(TEXT.replace("80 }", "120 }"));
	});

	it("edits one line and yields the new value", () => {
		fc.assert(
			fc.property(policy, fc.nat(), fc.constantFrom(...EDITS), (text, n, [path, value]) => {
				const index = n % read(text).spec.rules.length;
				const edited = editField(text, ["spec", "rules", index, ...path], value);
				if (edited === null) {
					// Only if there is no other position: a value inside a list or scalar, or the only field of a block map.
					expect(path.length > 1 && value === undefined).toBe(true);
					return;
				}
				const [before, after] = [lineSet(text), lineSet(edited)];
				const entry = outlineOf(text)?.rules[index]?.lines ?? { from: 0, to: 0 };
				expect(after.slice(0, entry.from - 1)).toEqual(before.slice(0, entry.from - 1));
				expect(after.slice(after.length - (before.length - entry.to))).toEqual(before.slice(entry.to));
				let at: unknown = read(edited).spec.rules[index];
				for (const key of path) at = (at as Record<string, unknown> | undefined)?.[key];
				expect(at).toEqual(value);
			}),
			{ numRuns: 150 },
		);
	});
});
