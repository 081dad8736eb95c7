import { describe, expect, it } from "vitest";
import type { Offer } from "#server/domain/capacity.ts";
import { aJob, HOME, policyOf, rulesText } from "./testing/builders.ts";
import { type TriedPlace, tryRule } from "./try-rule.ts";

function tried(region: string, capacityType: "spot" | "on_demand", hourlyUsd: number): TriedPlace {
	const place = { siteId: "aws-main", provider: "aws" as const, region, instanceType: "p5.48xlarge", capacityType };
	const offer = { ...place, id: `${region}/${capacityType}` } as unknown as Offer;
	return { place, offer, hourlyUsd, costUsd: hourlyUsd * 2 };
}
const PLACES: TriedPlace[] = [
	{ place: HOME, offer: null, costUsd: null, hourlyUsd: null },
	tried("eu-west-1", "spot", 10),
	tried("eu-west-1", "on_demand", 30),
	tried("us-east-1", "spot", 8),
	tried("us-east-1", "on_demand", 25),
];

describe("tryRule", () => {
	const policy = policyOf(
		rulesText(
			'{ id: eu, when: job.team == "risk", allow: { regions: ["aws:eu-*"] } }',
			"{ id: spot, require: { capacityType: spot } }",
			"{ id: none, when: job.gpus > 8, deny: { sites: [cloud] } }",
			"{ id: away, deny: { sites: [owned] } }",
			"{ id: wait, burst: { after: { forecastWait: 30m } } }",
		),
	);

	it("counts what the rule alone excludes, and what other rules exclude too", () => {
		const trial = tryRule(policy, "eu", aJob(), PLACES);
		expect(trial).toMatchObject({ holds: true, offers: 4, touched: 2, alsoByOthers: 1, left: 1, homeSites: [] });
		expect(trial?.places.map(({ region, capacityType, why, otherRuleId }) => [region, capacityType, why, otherRuleId])).toEqual([
			["us-east-1", "spot", "region_not_allowed", null],
			["us-east-1", "on_demand", "region_not_allowed", "spot"],
		]);
	});

	it("affects nothing when its condition does not hold, or when it excludes no places", () => {
		expect(tryRule(policy, "none", aJob(), PLACES)).toMatchObject({ holds: false, touched: 0, left: 1 });
		expect(tryRule(policy, "wait", aJob(), PLACES)).toMatchObject({ holds: true, effect: "burst", touched: 0 });
	});

	it("takes the strict side when the condition cannot be evaluated, and reports it", () => {
		const unsure = policyOf(rulesText('{ id: tier, when: job.labels.tier == "low", deny: { sites: [cloud] } }'));
		const trial = tryRule(unsure, "tier", aJob(), PLACES);
		expect(trial).toMatchObject({ holds: null, touched: 4, left: 0 });
		expect(trial?.conditionError).toMatch(/tier/);
	});

	it("names the home sites it excludes, and is null for an unknown rule", () => {
		expect(tryRule(policy, "away", aJob(), PLACES)).toMatchObject({ touched: 0, homeSites: ["home"] });
		expect(tryRule(policy, "gone", aJob(), PLACES)).toBeNull();
	});

	it("evaluates an approval's condition at every price", () => {
		const asks = {
			...policy,
			rules: [
				{
					id: "ask",
					when: "quote.costUsd > 30.0",
					line: 1,
					effect: { kind: "require", capacityType: null, approval: "platform" } as const,
				},
			],
		};
		expect(tryRule(asks, "ask", aJob(), PLACES)).toMatchObject({ holds: true, touched: 2, left: 4 });
	});
});
