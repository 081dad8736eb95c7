import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { CAP_REACTIONS } from "#server/domain/policy.ts";
import { policyDocumentSchema } from "#server/domain/policy-schema.ts";
import { listFields } from "#server/domain/schema/list-fields.ts";
import { renderTables } from "#server/domain/schema/render-table.ts";
import { FUNCTIONS, METHODS } from "./expression-environment.ts";
import { JOB_FIELDS, QUOTE_FIELDS } from "./job-facts.ts";
import { POLICY_LIMITS } from "./limits.ts";
import { parsePolicy } from "./parse-policy.ts";
import { MEASURES } from "./types.ts";

const PAGE = fileURLToPath(new URL("../../docs/policy.md", import.meta.url));
const page = readFileSync(PAGE, "utf8");
const examples = [...page.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map((m) => m[1] ?? "");

/** An example that shows one part of the spec, as a whole policy; its own first line is line 5. */
function whole(example: string): string {
	if (example.startsWith("apiVersion:")) return example;
	return `apiVersion: spillway/v1\nkind: Policy\nmetadata: { name: example }\nspec:\n${example.replace(/^/gm, "  ")}`;
}

/** Kinds of rules, budgets and the rest that an example shows. */
function kindsIn(example: string): string[] {
	const { policy } = parsePolicy(whole(example));
	if (!policy) return [];
	const shares = policy.shares.length > 0 ? ["shares"] : [];
	return [...policy.rules.map((r) => r.effect.kind), ...policy.budgets.map((b) => b.atCap), ...policy.caps.map((c) => c.kind), ...shares];
}

describe("the examples of docs/policy.md", () => {
	it.each(examples.map((example, index) => [index + 1, example]))("%i is a policy that could be published", (_, example) => {
		const { policy, problems } = parsePolicy(whole(String(example)), { measures: MEASURES });
		expect(problems.filter((p) => p.severity === "error")).toEqual([]);
		expect(policy).not.toBeNull();
		// problems of a fragment as a whole policy, and nothing else
		const own = problems.filter((p) => !/No rule lets jobs burst|no budget caps the cost/.test(p.message));
		expect(own).toEqual([]);
	});

	it("show a rule that asks a person, with every name that its condition may use besides", () => {
		const asks = examples.flatMap((e) => parsePolicy(whole(e)).policy?.rules ?? []).filter((r) => r.effect.kind === "require");
		expect(asks.some((r) => r.effect.kind === "require" && r.effect.approval === "platform")).toBe(true);
		for (const name of Object.keys(QUOTE_FIELDS)) expect(page).toContain(`\`quote.${name}\``);
	});

	it("show every kind of rule and cap that is read", () => {
		const shown = new Set(examples.flatMap(kindsIn));
		const kinds = [
			"deny",
			"allow",
			"require",
			"burst",
			"preempt",
			"move",
			"defer",
			"adopt",
			"prewarm",
			"limit",
			"hold",
			"checkpoint-and-return",
			"burn_rate",
			"egress",
			"instances",
			"shares",
		];
		expect(kinds.filter((kind) => !shown.has(kind))).toEqual([]);
	});
});

describe("docs/policy.md", () => {
	const named = (names: readonly string[], of: (name: string) => string): string[] => names.filter((name) => !page.includes(of(name)));
	it("names every field, function and method that a condition may use", () => {
		expect(named(Object.keys(JOB_FIELDS), (n) => `\`job.${n}\``)).toEqual([]);
		expect(named(FUNCTIONS, (n) => `\`${n}\``)).toEqual([]);
		expect(named(METHODS, (n) => `\`${n}`)).toEqual([]);
	});
	it("names every reaction at a cap", () => {
		expect(named(CAP_REACTIONS, (n) => `| \`${n}\``)).toEqual([]);
	});
	it("states the bounds that hold", () => {
		const bounds = `${POLICY_LIMITS.documentCharacters / 1024} KiB of text, ${POLICY_LIMITS.rules} rules, ${POLICY_LIMITS.budgets} budgets, ${POLICY_LIMITS.shares} shares, ${POLICY_LIMITS.listEntries} entries a list, 1,000 characters a condition`;
		expect(page).toContain(bounds);
		expect(POLICY_LIMITS.expressionCharacters).toBe(1_000);
		expect(page).toContain(`at most ${POLICY_LIMITS.shareWeight}`);
		expect(page).toContain(`compared up to ${POLICY_LIMITS.placeSteps / 1e6} million characters`);
	});
	it("has the tables of the schema (run with -u to update them)", async () => {
		await expect(renderTables(page, policyDocumentSchema)).toMatchFileSnapshot(PAGE);
	});
	it("describes every field of the schema, with a title for those of rules and budgets", () => {
		const fields = listFields(policyDocumentSchema);
		expect(fields.filter((f) => !f.description).map((f) => f.name)).toEqual([]);
		expect(fields.filter((f) => /^spec\.(rules|budgets)/.test(f.parent) && !f.title).map((f) => f.name)).toEqual([]);
	});
	it("shows which fields wait for a measurement", () => {
		const text = whole(
			"rules:\n  - { id: a, limit: { idleMinutes: 5, gpuUtilisationBelow: { percent: 5, for: 5m } } }\n  - { id: b, defer: { to: greener, within: 5h } }\n",
		);
		expect(parsePolicy(text).problems.filter((p) => / has no effect: /.test(p.message))).toHaveLength(3);
		expect(parsePolicy(text, { measures: MEASURES }).problems.filter((p) => / has no effect: /.test(p.message))).toEqual([]);
		const measuredHere = { measures: ["idle", "gpu_utilisation"] as const };
		expect(parsePolicy(text, measuredHere).problems.filter((p) => / has no effect: /.test(p.message))).toHaveLength(1);
		expect(page).toContain("`defer` is accepted with a warning");
	});
});
