import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { demoPolicy } from "#server/policy/demo-policy.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import { editCap } from "./edit-cap.ts";

describe("editCap", () => {
	it("replaces only the figure and not one other byte", () => {
		const source = demoPolicy({ capUsd: 500 });
		expect(editCap(source, "cloud-month", 1_250_500_000n)).toBe(source.replace("capUsd: 500,", "capUsd: 1250.5,"));
	});

	it("finds the budget by its id among others, in block style, quoted, with comments before and after", () => {
		const source = [
			"apiVersion: spillway/v1",
			"kind: Policy",
			"metadata: { name: default }",
			"spec:",
			"  budgets: # money",
			'    - { id: a, scope: "true", period: month, capUsd: 10 } # first',
			"    - id: 'b'",
			'      scope: "true"',
			"      period: year   # from January",
			"      capUsd:    20.25   # agreed with finance",
			"",
		].join("\n");
		expect(editCap(source, "b", 7_000_000n)).toBe(source.replace("20.25 ", "7 "));
	});

	it("reports which budget is missing, also when it caps something else", () => {
		expect(() => editCap(demoPolicy(), "nobody", 1n)).toThrow(/no budget "nobody"/);
		const source = demoPolicy().replace("capUsd: 500, atCap: hold", "burnRateUsdPerHour: 5").replace("period: month, ", "");
		expect(() => editCap(source, "cloud-month", 1n)).toThrow(/with a capUsd/);
	});

	it("changes only this cap in the parsed policy, whatever the amount", () => {
		const before = parsePolicy(demoPolicy()).policy;
		fc.assert(
			fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (cap) => {
				const after = parsePolicy(editCap(demoPolicy(), "cloud-month", cap)).policy;
				expect(after).toEqual({ ...before, budgets: before?.budgets.map((b) => ({ ...b, capMicroUsd: cap })) });
			}),
			{ numRuns: 50 },
		);
	});
});
