import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { completePolicy } from "./complete.ts";
import type { CompletionFacts } from "./completion.ts";
import { demoPolicy } from "./demo-policy.ts";

const FACTS: CompletionFacts = {
	siteIds: ["aws-main", "hall-b"],
	teams: ["risk", "vision"],
	places: [
		{ siteId: "aws-main", provider: "aws", region: "eu-west-1", instanceType: "p5.48xlarge", capacityType: "spot" },
		{ siteId: "aws-main", provider: "aws", region: "eu-north-1", instanceType: "p4d.24xlarge", capacityType: "spot" },
		{ siteId: "hall-b", provider: "local", region: null, instanceType: null, capacityType: "owned" },
	],
	instanceTypes: [
		{ provider: "aws", instanceType: "p5.48xlarge" },
		{ provider: "aws", instanceType: "p4d.24xlarge" },
	],
};
const HEAD = "apiVersion: spillway/v1\nkind: Policy\nmetadata: { name: default }\nspec:\n";

/** The labels offered at `|`, and the text before it. */
function at(marked: string): { labels: string[]; typed: string; inserts: string[] } {
	const offset = marked.indexOf("|");
	const text = marked.slice(0, offset) + marked.slice(offset + 1);
	const { from, items } = completePolicy(text, offset, FACTS);
	return { labels: items.map((i) => i.label), typed: text.slice(from, offset), inserts: items.map((i) => i.insert) };
}

describe("completePolicy", () => {
	it("offers the fields missing at the cursor", () => {
		expect(at("|").labels).toEqual(["apiVersion", "kind", "metadata", "spec"]);
		expect(at("apiVersion: spillway/v1\nk|").labels).toEqual(["kind", "metadata", "spec"]);
		expect(at(`${HEAD}  |`).labels).toEqual(["rules", "budgets", "shares", "weights"]);
		expect(at(`${HEAD}  rules:\n    - |`).labels).toContain("deny");
		expect(at(`${HEAD}  rules:\n    - id: a\n      |`).labels.slice(0, 2)).toEqual(["when", "deny"]);
		expect(at(`${HEAD}  rules:\n    - id: a\n      deny: { sites: [cloud] }\n      |`).labels).toEqual(["when"]);
		expect(at(`${HEAD}  rules:\n    - id: a\n      deny: { sites: [cloud] }\n    - |`).labels[0]).toBe("id");
		expect(at(`${HEAD}  budgets:\n    - { id: a, |`).labels).toEqual([
			"scope",
			"period",
			"capUsd",
			"burnRateUsdPerHour",
			"egressGiB",
			"instances",
			"atCap",
		]);
		expect(at(`${HEAD}  rules:\n    - id: a\n      burst: { after: { fore|`)).toMatchObject({
			labels: ["forecastWait", "waited", "deadlineSlack", "queueLength", "waitingUsdPerGpuHour"],
			typed: "fore",
		});
		expect(at(`${HEAD}  rules:\n    - id: a\n      burst:\n        |`).labels).toEqual(["after", "or", "always", "only"]);
		expect(at(`${HEAD}  weights: { delayUsdPerHour: 5, |`).labels).toEqual(["carbonUsdPerTonne", "pointsPerGpuHour"]);
	});

	it("offers existing sites, regions and families, quoted when YAML requires it", () => {
		expect(at(`${HEAD}  rules:\n    - { id: a, deny: { sites: [|`).labels).toEqual(["cloud", "owned", "aws-main", "hall-b"]);
		const regions = at(`${HEAD}  rules:\n    - { id: a, allow: { regions: [aws:|`);
		expect(regions).toMatchObject({ labels: ["aws:*", "aws:eu-*", "aws:eu-north-1", "aws:eu-west-1"], typed: "aws:" });
		expect(regions.inserts[1]).toBe('"aws:eu-*"');
		expect(at(`${HEAD}  rules:\n    - { id: a, allow: { regions: ["aws:eu-*", "aw|`)).toMatchObject({
			typed: "aw",
			inserts: ["aws:*", "aws:eu-*", "aws:eu-north-1", "aws:eu-west-1"],
		});
		expect(at(`${HEAD}  rules:\n    - id: a\n      allow:\n        instanceFamilies:\n          - p|`).labels).toEqual(["p4d", "p5"]);
		expect(at(`${HEAD}  budgets:\n    - { id: a, atCap: |`).labels).toEqual(["hold", "checkpoint-and-return", "terminate"]);
		expect(at(`${HEAD}  rules:\n    - id: a\n      defer: { to: |`).labels).toEqual(["greener", "cheaper"]);
	});

	it("offers names inside conditions with their types and units, and values to compare them with", () => {
		const rule = `${HEAD}  rules:\n    - id: a\n      when: `;
		expect(at(`${rule}job.|`).labels).toContain("dataGiB");
		expect(at(`${rule}job.|`).labels).not.toContain("costUsd");
		const { items } = completePolicy(`${rule}job.data`, rule.length + 8, FACTS);
		expect(items.find((i) => i.label === "dataGiB")).toMatchObject({ detail: "number, GiB", info: expect.stringContaining("unlimited") });
		expect(at(`${rule}job.class == |`).inserts).toContain('"sensitive"');
		expect(at(`${rule}job.class == "sen|`)).toMatchObject({ typed: "sen", inserts: expect.arrayContaining(["sensitive"]) });
		expect(at(`${rule}job.gpus > 4 && job.team in ["risk", |`).inserts).toEqual(['"risk"', '"vision"']);
		expect(at(`${rule}job.name.|`).labels).toContain("startsWith");
		expect(at(`${HEAD}  budgets:\n    - { id: a, scope: 'job.team == |`).inserts).toEqual(['"risk"', '"vision"']);
		expect(at(`${rule}quote.|`).labels).toEqual([]);
		expect(at(`${rule}quote.|\n      require: { approval: platform }`).labels).toContain("costUsd");
	});

	it("offers nothing in comments, and never fails for any text and position", () => {
		expect(at(`${HEAD}  # sites: [|`).labels).toEqual([]);
		const demo = demoPolicy();
		fc.assert(
			fc.property(fc.nat(demo.length), fc.string({ maxLength: 20 }), fc.nat(demo.length + 20), (cut, noise, offset) => {
				const text = demo.slice(0, cut) + noise + demo.slice(cut);
				const { from, items } = completePolicy(text, offset, FACTS);
				expect(from).toBeLessThanOrEqual(Math.max(0, Math.min(offset, text.length)));
				expect(new Set(items.map((i) => i.label)).size).toBe(items.length);
			}),
			{ numRuns: 300 },
		);
	});
});
