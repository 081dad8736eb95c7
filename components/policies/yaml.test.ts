import { describe, expect, it } from "vitest";
import { prepareRules } from "./rules.ts";
import { blockAt, lineOfKey, yamlTokens } from "./yaml.ts";

const SOURCE = `spec:
  rules:
    # stays
    - id: a
      when: job.class == "sensitive"
      deny: { sites: [cloud] }

    # next
    - id: b
      burst: { after: { forecastWait: 10s } }
  weights: { delayUsdPerHour: 5 } # dollars
`;
const LINES = SOURCE.split("\n");

describe("yamlTokens", () => {
	it("loses no characters", () => {
		for (const line of [...LINES, "", "  - {a: 'it''s', b: \"x # y\"}", "key-with-dash: x#y", "- 12.5"])
			expect(
				yamlTokens(line)
					.map((t) => t.text)
					.join(""),
			).toBe(line);
	});

	it("separates keys, strings, numbers and comments", () => {
		expect(yamlTokens('  when: job.class == "sensitive"').filter((t) => t.kind !== "plain")).toEqual([
			{ text: "when", kind: "key" },
			{ text: '"sensitive"', kind: "text" },
		]);
		expect(yamlTokens("  weights: { delayUsdPerHour: 5 } # dollars").map((t) => t.kind)).toEqual([
			"plain",
			"key",
			"plain",
			"key",
			"plain",
			"number",
			"plain",
			"comment",
		]);
	});
});

describe("blockAt", () => {
	it("takes an entry's lines and leaves the next entry's comment", () => expect(blockAt(LINES, 4)).toEqual({ from: 4, to: 6 }));
	it("ends where indentation decreases", () => expect(blockAt(LINES, 9)).toEqual({ from: 9, to: 10 }));
	it("finds the weights, and no shares if there are none", () => {
		expect(lineOfKey(LINES, "weights")).toBe(11);
		expect(lineOfKey(LINES, "shares")).toBeNull();
		expect(lineOfKey(["spec:", "  shares: { risk: 2 }"], "shares")).toBe(2);
	});
});

describe("prepareRules", () => {
	it("groups sentences under headings with their lines", () => {
		const sentence = [{ text: "x." }];
		const groups = prepareRules({
			source: SOURCE,
			sentences: [
				{ id: "a", line: 4, group: "remove", sentence },
				{ id: "b", line: 9, group: "burst", sentence },
				{ id: "weights", line: null, group: "prefer", sentence },
			],
		});
		expect(groups.map((g) => [g.heading, g.cards.map((c) => c.lines)])).toEqual([
			["Exclude a candidate when", [{ from: 4, to: 6 }]],
			["Burst when", [{ from: 9, to: 10 }]],
			["Rank eligible candidates", [{ from: 11, to: 11 }]],
		]);
	});
});
